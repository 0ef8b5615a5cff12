# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The libplace developers
# The few commands a newcomer needs; meson does the work, in $(BUILD).
BUILD ?= build
# Debian's meson, also where another one comes first on PATH.
MESON ?= $(firstword $(wildcard /usr/bin/meson) meson)
# Whole suite, in seconds: a test that hangs is ended by its own time limit long before.
CHECK_LIMIT ?= 900

.PHONY: all build check demo install clean setup
all: build

setup:
	@scripts/setup

$(BUILD)/build.ninja: | setup
	$(MESON) setup $(BUILD)

build: setup $(BUILD)/build.ninja
	$(MESON) compile -C $(BUILD)

check: build
	timeout -k 10 $(CHECK_LIMIT) $(MESON) test -C $(BUILD) --no-rebuild --print-errorlogs

demo: build
	$(BUILD)/tools/place bench pipe --processes --runs 5 --max-runs 9

install: build
	$(MESON) install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD)
