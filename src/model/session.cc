#include "model/session.h"
