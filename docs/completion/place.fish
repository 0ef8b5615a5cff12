# SPDX-License-Identifier: MIT
# Completion of place(1) for fish.
set -l commands run off on topo bench
set -l capacity 'auto group exact packing off'

complete -c place -f
complete -c place -n "not __fish_seen_subcommand_from $commands" -a run -d 'Run a program with placement'
complete -c place -n "not __fish_seen_subcommand_from $commands" -a off -d 'Let a running program go'
complete -c place -n "not __fish_seen_subcommand_from $commands" -a on -d 'Place it again'
complete -c place -n "not __fish_seen_subcommand_from $commands" -a topo -d 'Show the machine'
complete -c place -n "not __fish_seen_subcommand_from $commands" -a bench -d 'Compare placements'
complete -c place -n "not __fish_seen_subcommand_from $commands" -l version -l help

complete -c place -n '__fish_seen_subcommand_from run' -l policy -x -a 'auto observe off' -d 'What to do'
complete -c place -n '__fish_seen_subcommand_from run' -l stats -d 'Report what was done'
complete -c place -n '__fish_seen_subcommand_from run topo' -l capacity -x -a "$capacity" -d 'Which CPUs count as unequal'
complete -c place -n '__fish_seen_subcommand_from run' -l force -d 'Also where the kernel has a rule itself'
complete -c place -n '__fish_seen_subcommand_from run' -s v -d 'Say what is prepared'
complete -c place -n '__fish_seen_subcommand_from run' -a '(__fish_complete_subcommand --fcs-skip=2)'
complete -c place -n '__fish_seen_subcommand_from off on' -l all -d 'Every program'
complete -c place -n '__fish_seen_subcommand_from off on' -a '(__fish_complete_pids)'
complete -c place -n '__fish_seen_subcommand_from topo' -s v -l verbose -d 'Also what each source says'
complete -c place -n '__fish_seen_subcommand_from topo bench' -l json -d 'As JSON'
complete -c place -n '__fish_seen_subcommand_from topo' -l handoff -d 'Measure what a handoff costs'
complete -c place -n '__fish_seen_subcommand_from topo' -l xml -r -F -d 'The machine in an hwloc file'
complete -c place -n '__fish_seen_subcommand_from bench' -a "all (place bench --list 2>/dev/null | string split -f1 ' ')"
complete -c place -n '__fish_seen_subcommand_from bench' -l list -l quick -l full -l markdown -l peers
complete -c place -n '__fish_seen_subcommand_from bench' -l only -xa 'handoff no-harm compute overlap shapes programs'
complete -c place -n '__fish_seen_subcommand_from bench' -l out -l plot -r
complete -c place -n '__fish_seen_subcommand_from bench' -l threads -l processes -l exec
complete -c place -n '__fish_seen_subcommand_from bench' -l work -l pairs -l runs -l max-runs -l seconds -l cmd -l metric -x
