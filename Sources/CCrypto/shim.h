// OpenSSL's libcrypto, of which the message digests are used: SHA-256 with the processor's instructions.
#ifndef RHEO_CCRYPTO_SHIM_H
#define RHEO_CCRYPTO_SHIM_H

#include <openssl/evp.h>

#endif
