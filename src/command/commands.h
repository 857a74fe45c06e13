/* The commands' functions: one for each row of BW_COMMAND_TABLE. */
#ifndef BW_COMMAND_COMMANDS_H
#define BW_COMMAND_COMMANDS_H
#include "session/call.h"

#define X(name, function, arguments, key, help, journaled) bw_command_function bw_command_##function;
BW_COMMAND_TABLE(X)
#undef X
#endif
