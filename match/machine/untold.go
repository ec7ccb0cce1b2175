package machine

// doubtDirect makes guesses of callbacks that may have come of one of two changes by themselves, of which the
// tape does not show the state behind:
//
//	#2 paymentorder.do     the order waits           #6 paymentorder.do    the order waits
//	#3 status: 5                                     #7 status: 5
//	#4 callback deposited                            #8 status: 6
//
// The payer of the first order has confirmed at the bank, and that of the second has not. What is done
// behind the deck's back is another thing each time, so nobody knows whether #4 comes. It is no guess where
// #6 was recorded in a cassette without callbacks: there nobody listened.
func (b *builder) doubtDirect() {
	listened := map[string]bool{} // by cassette
	for _, r := range b.m.All {
		if len(r.Recording.Callbacks) > 0 {
			listened[r.Cassette] = true
		}
	}
	counts := map[event]int{}
	for _, r := range b.m.All {
		if !listened[r.Cassette] || b.m.direct[r.use] == nil {
			continue
		}
		told := map[event]bool{r.event(""): true}
		for _, cb := range r.Recording.Callbacks {
			told[r.event(cb.Operation)] = true
		}
		for one := range told {
			counts[one]++
		}
	}
	for _, rs := range b.m.direct {
		for _, r := range rs {
			for _, cb := range r.direct {
				changes := cb.Role >= 0 && len(b.m.behind[r.Behind(cb)]) > 0
				r.guessed = r.guessed || changes && counts[r.event(cb.Operation)] < counts[r.event("")]
			}
		}
	}
}

// event is what recordings that serve alike, and have found the same, are told; empty for that they took
// place.
type event struct {
	use  uint64
	told string
}

func (r *Recording) event(told string) event {
	use := r.use
	for _, f := range r.old {
		use = mix(mix(use, digest(f.Kind)), uint64(f.Own))
	}
	return event{use, told}
}
