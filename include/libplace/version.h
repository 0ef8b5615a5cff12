/* SPDX-License-Identifier: MIT */
/* Copyright (c) 2026 The libplace developers */
/* The only place that states the version; meson.build reads it from here. */
#ifndef LIBPLACE_VERSION_H
#define LIBPLACE_VERSION_H

#define PLACE_VERSION_MAJOR 0
#define PLACE_VERSION_MINOR 1
#define PLACE_VERSION_PATCH 0
#define PLACE_VERSION	    "0.1.0"

#endif
