# SPDX-License-Identifier: MIT
# Completion of place(1) for bash.
_place()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} i
	local capacity='auto group exact packing off'

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W 'run off on topo bench --help --version' -- "$cur"))
		return
	fi
	# bash splits --option=value at the sign.
	[ "$cur" = = ] && cur=
	[ "$prev" = = ] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	case $prev in
	--policy)
		COMPREPLY=($(compgen -W 'auto observe off' -- "$cur"))
		return
		;;
	--capacity)
		COMPREPLY=($(compgen -W "$capacity" -- "$cur"))
		return
		;;
	--xml | --stats)
		COMPREPLY=($(compgen -f -- "$cur"))
		return
		;;
	esac
	case $command in
	run)
		for ((i = 2; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			-- | [!-=]*)
				[ "${COMP_WORDS[i - 1]}" = = ] && continue
				COMPREPLY=($(compgen -c -f -- "$cur"))
				return
				;;
			esac
		done
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W '--policy= --stats --capacity= --force -v --help --' -- "$cur"))
		else
			COMPREPLY=($(compgen -c -- "$cur"))
		fi
		;;
	off | on)
		COMPREPLY=($(compgen -W "--all $(ps -u "$(id -u)" -o pid= 2>/dev/null)" -- "$cur"))
		;;
	topo)
		COMPREPLY=($(compgen -W '-v --verbose --json --xml --capacity= --help' -- "$cur"))
		;;
	bench)
		COMPREPLY=($(compgen -W 'pipe futex cond sem eventfd unix tcp ring switching hog phases
			wakeup --threads --processes --exec --work --pairs --rounds --seconds --warmup
			--kind --cmd --metric --lower-is-better --contenders --preload --runs --max-runs
			--bar --judge --pause --timeout --json --help' -- "$cur"))
		;;
	esac
	[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _place place
