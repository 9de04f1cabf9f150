/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLITCAST_SIM_CSR_MAIN_H
#define FLITCAST_SIM_CSR_MAIN_H

int csr_main(int argc, char **argv);

#endif /* FLITCAST_SIM_CSR_MAIN_H */
