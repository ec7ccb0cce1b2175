// Package har reads HTTP archives (HAR 1.2), as browsers and proxies save them, into exchanges.
//
// An archive holds what was sent as it was: whoever reads one cleans its exchanges, or looks into them
// for secrets.
package har
