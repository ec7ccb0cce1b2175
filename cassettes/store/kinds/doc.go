// Package kinds opens stores of tapes by their URLs:
//
//	dir:PATH                        a folder, such as a network drive
//	oci://REGISTRY/REPOSITORY       a container registry; each tape is an artefact with a tag of its own
//	s3://BUCKET/PREFIX              S3, and gateways that speak it (?endpoint=URL&region=NAME)
//	https://HOST/PATH               files behind a web server, to be read only
//
// All of them keep the same blobs. In a folder, in a bucket and behind a web server a blob has the path
// that its name says, so that a folder or a bucket can be published by any web server as it is. In a
// registry a piece is a blob by nature; an index is the configuration of a manifest that lists the
// pieces as layers, under the tag sha256-HASH of the tape, so that the registry keeps what is listed.
//
// Credentials are looked for where their owners have them already, and nowhere else: those of a
// registry in the configuration of docker and its helpers, those of S3 in the environment, the files
// and the services of AWS, those of a web server in the .netrc of git and curl, and then with the
// credential helpers of git. A URL that holds credentials is refused, and not repeated. Without TLS only
// this machine is spoken to, wherever a server leads to, and credentials go to no other scheme, host or
// port than that which they are for.
//
// The libraries are oras-go and minio-go, which know how their services sign, redirect and challenge.
// Their own repetitions are off: blob.Careful repeats. What a server says in its own words is not
// repeated in errors, because it may quote what it was sent; the status and what it means are.
package kinds
