package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// logAge is how long the entries of a log are kept.
const logAge = 7 * 24 * time.Hour

// Bounds of messages.
const (
	headRoom  = 4 << 10   // for subject and headers, in the largest message that NATS takes
	batchSize = 256 << 10 // entries beyond it wait for the next append
)

// objectHeader names the object that holds what was too large for a message.
const objectHeader = "Paytape-Object"

// bus is what these decks have in NATS: everything has the id of their key in its name.
type bus struct {
	*sealer
	conn   *nats.Conn
	js     jetstream.JetStream
	log    jetstream.Stream
	said   jetstream.Stream   // commands, which do not expire: a session may be older than any age
	leases jetstream.KeyValue // deck -> member; gone after the length of a lease
	claims jetstream.KeyValue // session -> claimed; with the age of logs, from when it was renewed.
	// Of decks that record: recording -> recordingClaim
	origins jetstream.KeyValue // facts -> Origin
	large   jetstream.ObjectStore
	lost    atomic.Bool // the connection
	prefix  string      // of subjects
	timeout time.Duration
}

// Why NATS cannot be used.
var (
	errFenced = errors.New("another deck has appended to the log")
	errNATS   = errors.New("NATS cannot be reached")
	errBroken = errors.New("the log of the session cannot be served again") // now or later
)

// dial connects, and makes what is not there yet. The errors hold no credentials: texts of nats.go do
// not repeat its addresses.
func dial(ctx context.Context, o *Options, prepare ...func(*bus, context.Context, *Options) error,
) (*bus, error) {
	s, err := newSealer(o.Key)
	if err != nil {
		return nil, err
	}
	b := &bus{sealer: s, prefix: "paytape." + s.id, timeout: o.Lease}
	options := []nats.Option{
		nats.Name("paytape"), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond),
		nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond),
		nats.ReconnectBufSize(-1), // what cannot be sent now must not be sent later
		nats.Timeout(2 * time.Second), nats.PingInterval(o.Lease / 2), nats.MaxPingsOutstanding(1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // callers have errors of their own
		nats.DisconnectErrHandler(func(*nats.Conn, error) { b.lost.Store(true) }),
		nats.ReconnectHandler(func(*nats.Conn) { b.lost.Store(false) }),
	}
	if o.Credentials != "" {
		options = append(options, nats.UserCredentials(o.Credentials))
	}
	if b.conn, err = nats.Connect(o.Servers, options...); err != nil {
		return nil, fmt.Errorf("connecting to NATS: %w", err)
	}
	if b.js, err = jetstream.New(b.conn, jetstream.WithDefaultTimeout(b.timeout)); err != nil {
		b.conn.Close()
		return nil, err
	}
	for _, f := range prepare {
		if err := f(b, ctx, o); err != nil {
			b.conn.Close()
			return nil, err
		}
	}
	return b, nil
}

// notMade says why there is no stream, or no bucket.
func notMade(what string, err error) error {
	if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, nats.ErrNoResponders) {
		return errors.New("NATS runs without JetStream: start nats-server with -js")
	}
	return fmt.Errorf("making %s in NATS: %w", what, err)
}

// prepareLeases makes the bucket of leases, or finds that which another deck has made.
func (b *bus) prepareLeases(ctx context.Context, o *Options) error {
	var err error
	b.leases, err = b.bucket(ctx, jetstream.KeyValueConfig{
		Bucket: "PAYTAPE_" + b.id + "_leases", TTL: o.Lease, Replicas: o.Replicas,
	})
	if err != nil {
		return notMade("a bucket", err)
	}
	if status, err := b.leases.Status(ctx); err != nil {
		return notMade("a bucket", err)
	} else if status.TTL() != o.Lease {
		return fmt.Errorf("the other decks have leases of %s, and this one of %s: give all decks the same",
			status.TTL(), o.Lease)
	}
	return nil
}

// prepareSessions makes the streams and buckets of sessions.
func (b *bus) prepareSessions(ctx context.Context, o *Options) error {
	var err error
	b.log, err = b.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: "PAYTAPE_" + b.id, Description: "logs of the sessions of paytape decks",
		Subjects: []string{b.prefix + ".log.>"}, MaxAge: logAge, Replicas: o.Replicas,
	})
	if err != nil {
		return notMade("a stream", err)
	}
	b.said, err = b.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: "PAYTAPE_" + b.id + "_commands", Description: "commands to all sessions of paytape decks",
		Subjects: []string{b.prefix + ".commands"}, Replicas: o.Replicas,
	})
	if err != nil {
		return notMade("a stream", err)
	}
	b.claims, err = b.bucket(ctx, jetstream.KeyValueConfig{
		Bucket: "PAYTAPE_" + b.id + "_sessions", TTL: logAge, Replicas: o.Replicas,
	})
	if err != nil {
		return notMade("a bucket", err)
	}
	b.origins, err = b.bucket(ctx, jetstream.KeyValueConfig{
		Bucket: "PAYTAPE_" + b.id + "_origins", Replicas: o.Replicas,
	})
	if err != nil {
		return notMade("a bucket", err)
	}
	large := "PAYTAPE_" + b.id + "_large"
	b.large, err = b.js.ObjectStore(ctx, large)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		b.large, err = b.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: large, TTL: logAge, Replicas: o.Replicas,
		})
	}
	if err != nil {
		return notMade("an object store", err)
	}
	return nil
}

// prepareRecordings makes the bucket of recordings.
func (b *bus) prepareRecordings(ctx context.Context, o *Options) error {
	var err error
	b.claims, err = b.bucket(ctx, jetstream.KeyValueConfig{
		Bucket: "PAYTAPE_" + b.id + "_recordings", Replicas: o.Replicas,
	})
	if err != nil {
		return notMade("a bucket", err)
	}
	return nil
}

// makeAgain makes what NATS has lost. What is there stays as it is, and what b has of it goes by names.
func (b *bus) makeAgain(ctx context.Context, o *Options, prepare ...func(*bus, context.Context, *Options) error,
) error {
	again := &bus{sealer: b.sealer, conn: b.conn, js: b.js, prefix: b.prefix, timeout: b.timeout}
	for _, f := range prepare {
		if err := f(again, ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// bucket opens a bucket, or makes it.
func (b *bus) bucket(ctx context.Context, c jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	kv, err := b.js.KeyValue(ctx, c.Bucket)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return kv, err
	}
	if kv, err = b.js.CreateKeyValue(ctx, c); errors.Is(err, jetstream.ErrBucketExists) {
		return b.js.KeyValue(ctx, c.Bucket) // another deck was faster
	}
	return kv, err
}

// deckPrefix begins the names of decks.
const deckPrefix = "deck."

// decks returns the names of the decks that have a lease, and of those that had one a short time ago. They are
// the subjects of a stream, which NATS tells in one answer: a list by nats.go lacks keys that are put again
// while it is made, as leases are all the time.
func (b *bus) decks(ctx context.Context) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	stream, err := b.js.Stream(ctx, "KV_"+b.leases.Bucket())
	if err != nil {
		return nil, err
	}
	prefix := "$KV." + b.leases.Bucket() + "."
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+deckPrefix+">"))
	if err != nil {
		return nil, err
	}
	decks := make([]string, 0, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		decks = append(decks, strings.TrimPrefix(subject, prefix))
	}
	return decks, nil
}

// claimed returns the keys of claims. It may lack a claim that is put again meanwhile, whose deck is alive. The
// list of nats.go has no end if a key expires while it is made: it is made again then.
func (b *bus) claimed(ctx context.Context) ([]string, error) {
	for {
		once, cancel := context.WithTimeout(ctx, b.timeout)
		found, err := b.claims.ListKeys(once)
		var keys []string
		if err == nil {
			for key := range found.Keys() {
				keys = append(keys, key)
			}
		}
		again := once.Err() != nil && ctx.Err() == nil
		cancel()
		if !again {
			return keys, cmp.Or(err, ctx.Err())
		}
	}
}

// connected reports whether NATS can be reached, as far as is known.
func (b *bus) connected() bool { return !b.lost.Load() }

// message makes a message of a value, and an object beside it of a large one.
func (b *bus) message(ctx context.Context, subject, purpose string, v any) (*nats.Msg, error) {
	data, err := b.close(purpose, v)
	if err != nil {
		return nil, err
	}
	m := nats.NewMsg(subject)
	if int64(len(data)) <= b.conn.MaxPayload()-headRoom {
		m.Data = data
		return m, nil
	}
	name := nuid.Next()
	if _, err := b.large.PutBytes(ctx, name, data); err != nil {
		return nil, fmt.Errorf("putting a large message into the object store: %w", err)
	}
	m.Header.Set(objectHeader, name)
	return m, nil
}

// read reads what message has made. once deletes its object.
func (b *bus) read(ctx context.Context, m *nats.Msg, purpose string, once bool, v any) error {
	data, name := m.Data, m.Header.Get(objectHeader)
	if name != "" {
		var err error
		if data, err = b.large.GetBytes(ctx, name); err != nil {
			return fmt.Errorf("reading a large message from the object store: %w", err)
		}
		if once {
			_ = b.large.Delete(ctx, name) // it expires
		}
	}
	if err := b.open(purpose, data, v); err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	return nil
}

// append appends a message to the log, behind the last message of its subject, whose sequence is
// after. A message that was appended before, with the same id, is not appended twice. It returns the
// sequence of the message.
func (b *bus) append(ctx context.Context, m *nats.Msg, id string, after uint64) (uint64, error) {
	ack, err := b.js.PublishMsg(ctx, m, jetstream.WithMsgID(id),
		jetstream.WithExpectLastSequencePerSubject(after), jetstream.WithRetryAttempts(0))
	if err == nil {
		return ack.Sequence, nil
	}
	if wrongSequence(err) {
		last, err := b.log.GetLastMsgForSubject(ctx, m.Subject)
		if err == nil && last.Header.Get(nats.MsgIdHdr) == id {
			return last.Sequence, nil
		}
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			return 0, err
		}
		return 0, errFenced
	}
	return 0, err
}

// wrongSequence reports whether somebody else has changed what was to be changed.
func wrongSequence(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// each reads the messages of a subject of a stream behind a sequence, in their order, and returns the
// sequence of the last of them; after if there is none. f is told the sequence of its message.
func (b *bus) each(ctx context.Context, of jetstream.Stream, subject string, after uint64,
	f func(m *nats.Msg, at uint64) error,
) (uint64, error) {
	last, err := of.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return after, nil
	}
	if err != nil || last.Sequence <= after {
		return after, err
	}
	from, err := b.js.OrderedConsumer(ctx, of.CachedInfo().Config.Name,
		jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy,
			OptStartSeq: after + 1,
		})
	if err != nil {
		return after, err
	}
	all, err := from.Messages()
	if err != nil {
		return after, err
	}
	defer all.Stop()
	stop := context.AfterFunc(ctx, all.Stop)
	defer stop()
	for after < last.Sequence {
		m, err := all.Next()
		if err != nil {
			return after, err
		}
		meta, err := m.Metadata()
		if err != nil {
			return after, err
		}
		at := meta.Sequence.Stream
		if err := f(&nats.Msg{Subject: m.Subject(), Header: m.Headers(), Data: m.Data()}, at); err != nil {
			return after, err
		}
		after = at
	}
	return after, nil
}
