// SPDX-License-Identifier: GPL-2.0
/* Calls from fabric to the layers above (up.h), which are linked later. */
#include "fabric/up.h"

DEFINE_STATIC_CALL_NULL(flitcast_leave_up, flitcast_engine_leave);
DEFINE_STATIC_CALL_NULL(flitcast_received_up, flitcast_engine_received);
DEFINE_STATIC_CALL_NULL(flitcast_set_timer_up, flitcast_engine_set_timer);
DEFINE_STATIC_CALL_NULL(flitcast_rx_packet_up, flitcast_rx_packet);
DEFINE_STATIC_CALL_NULL(flitcast_bcast_copy_up, flitcast_bcast_copy);
DEFINE_STATIC_CALL_NULL(flitcast_tx_pick_up, flitcast_tx_pick);
DEFINE_STATIC_CALL_NULL(flitcast_tx_flit_up, flitcast_tx_flit);
DEFINE_STATIC_CALL_NULL(flitcast_tx_admitted_up, flitcast_tx_admitted);
DEFINE_STATIC_CALL_NULL(flitcast_tx_rerouted_up, flitcast_tx_rerouted);
DEFINE_STATIC_CALL_NULL(flitcast_ether_receive_up, flitcast_ether_receive);
DEFINE_STATIC_CALL_NULL(flitcast_ether_entered_up, flitcast_ether_entered);
DEFINE_STATIC_CALL_NULL(flitcast_ether_links_up, flitcast_ether_links);
DEFINE_STATIC_CALL_NULL(flitcast_ether_rerouted_up, flitcast_ether_rerouted);
