package sandbox_test

import (
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
)

// claim is one sentence of the documents or the domain facts, in our words, and a check
// that the stand-in keeps it.
type claim struct {
	place string // document and section
	says  string
	keeps func(*client)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for api, claims := range map[string][]claim{
		"gateway": gatewayClaims,
		"orders":  gwOrdersClaims,
		"lists":   gwListClaims,
		"p2p":     gwP2PClaims,
		"p2p pay": gwP2PPayClaims,
		"p2p tii": gwP2PBindClaims,
		"p2p 3ds": gwP2PSecureClaims,
		"p2p fee": gwP2PStatusClaims,
		"binding": bindingClaims,
		"secure":  gwSecureClaims,
		"secure2": gwSecure2Claims,
		"page":    gwPageClaims,
		"token":   gwTokenClaims,
		"bound":   gwBindClaims,
		"by bind": gwBindPayClaims,
		"stored":  gwRecurrentClaims,
		"gw call": gwCallbackClaims,
		"v1 card": v1CardClaims,
		"v1":      v1Claims,
		"v1 all":  v1AllClaims,
		"v1 name": v1NameClaims,
		"v1 acc":  v1AccountClaims,
		"v1 lim":  v1LimitClaims,
		"v1 shop": v1MerchantClaims,
		"v1 key":  v1KeyClaims,
		"v1 more": v1MoreClaims,
		"v2":      v2Claims,
		"v2 move": v2MoveClaims,
		"v2 more": v2MoreClaims,
	} {
		for _, claim := range claims {
			t.Run(api+"/"+claim.says, func(t *testing.T) {
				t.Parallel()
				if claim.place == "" {
					t.Fatal("the claim does not say where it stands")
				}
				t.Log(claim.place)
				claim.keeps(newClient(t, sandbox.Options{Seed: 1}))
			})
		}
	}
}
