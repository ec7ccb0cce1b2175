package kinds

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/paytape/paytape/cassettes/store/blob"
)

// registry is a repository of a container registry.
type registry struct{ *remote.Repository }

// What the parts of an artefact are.
const (
	tapeType  = "application/vnd.paytape.tape.v1"
	indexType = "application/vnd.paytape.tape.index.v1+zstd"
	pieceType = "application/vnd.paytape.tape.piece.v1+zstd"
)

// maxManifest bounds a manifest, in bytes. Registries take 4 MB or more, which is 25000 pieces.
const maxManifest = 32 << 20

func openOCI(u *url.URL, c *client) (blob.Store, error) {
	path := strings.Trim(u.Path, "/")
	repository, err := remote.NewRepository(u.Host + "/" + path)
	if err != nil || path == "" {
		return nil, wrongURL("expected oci://REGISTRY/REPOSITORY")
	}
	if repository.Reference.Reference != "" {
		return nil, wrongURL("expected oci://REGISTRY/REPOSITORY, without a tag: each tape has a tag " +
			"of its own")
	}
	logins, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return nil, errors.New("reading the configuration of docker: it is not as docker has it")
	}
	repository.Client = &auth.Client{
		Client: c.http, Cache: auth.NewCache(), Credential: credentials.Credential(logins),
	}
	repository.PlainHTTP = isLocal(u.Host)
	repository.MaxMetadataBytes = maxManifest
	return &registry{repository}, nil
}

// tag is where the artefact of a tape is.
func tag(b blob.Blob) string { return "sha256-" + b.Digest.String() }

// descriptor names a piece to a registry.
func descriptor(b blob.Blob) ocispec.Descriptor {
	return ocispec.Descriptor{
		MediaType: pieceType, Digest: digest.NewDigestFromEncoded(digest.SHA256, b.Digest.String()),
		Size: b.Size,
	}
}

func (r *registry) Has(ctx context.Context, b blob.Blob) (has bool, err error) {
	if b.Kind == blob.Index {
		_, err = r.Manifests().Resolve(ctx, tag(b))
		has = err == nil
	} else {
		has, err = r.Blobs().Exists(ctx, descriptor(b))
	}
	if err = explainOCI(err); errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	return has, err
}

func (r *registry) Get(ctx context.Context, b blob.Blob) (io.ReadCloser, error) {
	of := descriptor(b)
	if b.Kind == blob.Index {
		m, err := r.manifest(ctx, b)
		if err != nil {
			return nil, explainOCI(err)
		}
		of = m.Config
	}
	in, err := r.Blobs().Fetch(ctx, of)
	if err != nil {
		return nil, explainOCI(err)
	}
	return in, nil
}

// manifest returns the manifest of a tape.
func (r *registry) manifest(ctx context.Context, b blob.Blob) (*ocispec.Manifest, error) {
	_, in, err := r.Manifests().FetchReference(ctx, tag(b))
	if err != nil {
		return nil, err
	}
	defer in.Close() // nothing is written to it
	data, err := io.ReadAll(io.LimitReader(in, maxManifest))
	if err != nil {
		return nil, err
	}
	m := &ocispec.Manifest{}
	if json.Unmarshal(data, m) != nil || m.Config.MediaType != indexType || m.Config.Digest.Validate() != nil {
		return nil, fmt.Errorf("%w: what has the tag is no tape", blob.ErrPermanent)
	}
	return m, nil
}

// Put puts a piece as a blob, and an index as the configuration of a manifest.
func (r *registry) Put(ctx context.Context, b blob.Blob, data []byte) error {
	if b.Kind == blob.Piece {
		return explainOCI(r.Blobs().Push(ctx, descriptor(b), bytes.NewReader(data)))
	}
	m := ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest,
		ArtifactType: tapeType,
		Config: ocispec.Descriptor{
			MediaType: indexType, Digest: digest.FromBytes(data), Size: int64(len(data)),
		},
	}
	for _, p := range b.Pieces {
		m.Layers = append(m.Layers, descriptor(p))
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := r.Blobs().Push(ctx, m.Config, bytes.NewReader(data)); err != nil {
		return explainOCI(err)
	}
	return explainOCI(r.Manifests().PushReference(ctx, ocispec.Descriptor{
		MediaType: m.MediaType, Digest: digest.FromBytes(text), Size: int64(len(text)),
	}, bytes.NewReader(text), tag(b)))
}

// errMissesPiece is what a registry says of a manifest while somebody else puts one of its pieces, which it
// had before and has afterwards. It is worth asking again.
var errMissesPiece = errors.New("the registry misses a piece of it")

func missesPiece(e errcode.Error) bool { return e.Code == errcode.ErrorCodeManifestBlobUnknown }

// explainOCI tells what an error of a registry means.
func explainOCI(err error) error {
	if err == nil {
		return nil
	}
	if told, ok := errors.AsType[*errcode.ErrorResponse](err); ok {
		if slices.ContainsFunc(told.Errors, missesPiece) {
			return errMissesPiece
		}
		return byStatus(told.StatusCode)
	}
	switch {
	case errors.Is(err, errdef.ErrNotFound):
		return blob.ErrNotFound
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return blob.ErrDenied
	}
	return withoutURL(err)
}
