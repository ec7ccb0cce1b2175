package store

import "time"

// Hurry has a store that fails be asked again at once.
func (o *Options) Hurry() { o.pause = time.Millisecond }

// WhenSearched has Push do something when it has searched a tape for secrets.
func (o *Options) WhenSearched(do func()) { o.searched = do }
