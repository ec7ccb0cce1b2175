package store

import "time"

// Hurry has a store that fails be asked again at once.
func (o *Options) Hurry() { o.pause = time.Millisecond }
