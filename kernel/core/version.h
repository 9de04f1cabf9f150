/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The version of module, tool, library and packages.  Makefiles and scripts read it from here;
 * debian/changelog begins with the same one.
 */
#ifndef FC_CORE_VERSION_H
#define FC_CORE_VERSION_H

#define FLITCAST_VERSION	"0.2.0"

#endif /* FC_CORE_VERSION_H */
