package kinds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/paytape/paytape/cassettes/store/blob"
)

// bucket is a bucket of S3.
type bucket struct {
	core   *minio.Core
	name   string
	prefix string // of all keys; empty for none
}

// amazon is where S3 is if nobody says otherwise.
const amazon = "https://s3.amazonaws.com"

// metadataPatience is how long a machine that may be one of Amazon's is asked for credentials.
const metadataPatience = 2 * time.Second

func openS3(u *url.URL, c *client) (blob.Store, error) {
	endpoint, region, err := c.s3Service(u.Query())
	if err != nil {
		return nil, err
	}
	core, err := minio.NewCore(endpoint.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
			&credentials.IAM{Client: &http.Client{Timeout: metadataPatience}},
		}),
		Secure: endpoint.Scheme == "https", Transport: c.http.Transport, Region: region, MaxRetries: 1,
	})
	if err != nil {
		return nil, wrongURL("the endpoint is none of S3")
	}
	return &bucket{core, u.Host, strings.Trim(u.Path, "/")}, nil
}

// s3Service returns where S3 is: what the URL says beats the variables of AWS.
func (c *client) s3Service(query url.Values) (endpoint *url.URL, region string, err error) {
	for key := range query {
		if key != "endpoint" && key != "region" {
			return nil, "", wrongURL("behind the ? of s3://BUCKET/PREFIX may be endpoint=URL and " +
				"region=NAME")
		}
	}
	where := query.Get("endpoint")
	if where == "" {
		where = c.env("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
	}
	if where == "" {
		where = amazon
	}
	if region = query.Get("region"); region == "" {
		region = c.env("AWS_REGION", "AWS_DEFAULT_REGION")
	}
	endpoint, err = url.Parse(where)
	switch {
	case err != nil || endpoint.Host == "" || endpoint.User != nil || strings.Trim(endpoint.Path, "/") != "":
		return nil, "", wrongURL("the endpoint of S3: expected https://HOST, without credentials")
	case endpoint.Scheme == "http" && !isLocal(endpoint.Host) || endpoint.Scheme != "https" && endpoint.Scheme != "http":
		return nil, "", wrongURL("the endpoint of S3: expected https: without TLS only this machine is " +
			"spoken to")
	}
	return endpoint, region, nil
}

func (s *bucket) key(b blob.Blob) string { return path.Join(s.prefix, b.Path()) }

func (s *bucket) Has(ctx context.Context, b blob.Blob) (bool, error) {
	info, err := s.core.StatObject(ctx, s.name, s.key(b), minio.StatObjectOptions{})
	err = explainS3(err)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	return err == nil && (b.Size == 0 || info.Size == b.Size), err
}

func (s *bucket) Get(ctx context.Context, b blob.Blob) (io.ReadCloser, error) {
	in, _, _, err := s.core.GetObject(ctx, s.name, s.key(b), minio.GetObjectOptions{})
	if err != nil {
		return nil, explainS3(err)
	}
	return in, nil
}

func (s *bucket) Put(ctx context.Context, b blob.Blob, data []byte) error {
	_, err := s.core.Client.PutObject(ctx, s.name, s.key(b), bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{DisableMultipart: true, ContentType: "application/zstd"})
	return explainS3(err)
}

// noBucket is the code of S3 for a bucket that is not there, which is another thing than a blob.
const noBucket = "NoSuchBucket"

// explainS3 tells what an error of S3 means.
func explainS3(err error) error {
	if err == nil {
		return nil
	}
	told := minio.ToErrorResponse(err)
	switch {
	case told.Code == noBucket:
		return fmt.Errorf("%w: there is no such bucket", blob.ErrPermanent)
	case told.StatusCode == http.StatusForbidden: // also for a key that is not there, see ListBucket
		return fmt.Errorf("%w; or it is not there, and the role lacks s3:ListBucket", byStatus(told.StatusCode))
	case told.StatusCode >= 300:
		return byStatus(told.StatusCode)
	}
	return withoutURL(err)
}
