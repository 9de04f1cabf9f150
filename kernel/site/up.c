// SPDX-License-Identifier: GPL-2.0
/*
 * Calls upward (up.h): their targets are not known here.
 */
#include "site/impl.h"
#include "site/up.h"

DEFINE_STATIC_CALL_NULL(flitcast_before_leave_up, flitcast_before_leave);
DEFINE_STATIC_CALL_NULL(flitcast_set_timer_up, flitcast_set_timer);
DEFINE_STATIC_CALL_NULL(flitcast_rx_packet_up, flitcast_rx_packet);
DEFINE_STATIC_CALL_NULL(flitcast_cast_copy_up, flitcast_cast_copy);
DEFINE_STATIC_CALL_NULL(flitcast_tx_pick_up, flitcast_tx_pick);
DEFINE_STATIC_CALL_NULL(flitcast_tx_flit_up, flitcast_tx_flit);
DEFINE_STATIC_CALL_NULL(flitcast_tx_admitted_up, flitcast_tx_admitted);
DEFINE_STATIC_CALL_NULL(flitcast_tx_rerouted_up, flitcast_tx_rerouted);
