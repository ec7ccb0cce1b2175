package main

// A machine without certificates of public authorities, as a container that holds paytape and nothing
// else, trusts those of Mozilla as of when paytape was built. Where the system has certificates, or
// SSL_CERT_FILE names them, these are not looked at.
import _ "golang.org/x/crypto/x509roots/fallback"
