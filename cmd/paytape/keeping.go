package main

import (
	"fmt"

	"github.com/paytape/paytape/cassettes"
	"github.com/spf13/pflag"
)

// keeping is how safe from the loss of power a command keeps what it records.
type keeping struct {
	word string // none, interval or always

	sync cassettes.Sync // made by check
}

// keptByDefault is for commands that do not ask.
const keptByDefault = string(cassettes.SyncInterval)

func (k *keeping) flags(fs *pflag.FlagSet) {
	fs.StringVar(&k.word, "sync", keptByDefault, "have the disk confirm `WHEN`: none, interval or "+
		"always")
}

func (k *keeping) check() (err error) {
	if k.sync, err = cassettes.ParseSync(k.word); err != nil {
		return misused(fmt.Errorf("--sync: %w", err))
	}
	return nil
}
