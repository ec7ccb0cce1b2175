package gateway

import (
	"cmp"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// finishTransferRules is the table of finishThreeDsVer2.do (document 3); its example writes
// threeDSServerTransId for tDsTransId, so both are read.
var finishTransferRules = []paramRule{
	{name: "tDsTransId", ok: wire.Within(36)},
	{name: "threeDSServerTransId", ok: wire.Within(36)},
}

// finishTransfer ends the authentication of a transfer and sends the customer to returnUrl or
// failUrl with orderId and lang, without any JSON (document 3, finishThreeDsVer2.do). What is
// no transfer in authentication is refused as in the other calls, since nobody can be sent
// anywhere.
func (b *book) finishTransfer(c call) (any, error) {
	if err := c.params.check(finishTransferRules); err != nil {
		return nil, err
	}
	id := cmp.Or(c.params["tDsTransId"], c.params["threeDSServerTransId"])
	if id == "" {
		return nil, errMissing.about("tDsTransId")
	}
	if o := b.secured[id]; o == nil || o.transfer == nil {
		return nil, errValue.about("tDsTransId")
	}
	o, err := b.finishSecure(id, c.now)
	if err != nil {
		return nil, err
	}
	return seeOther(o.outcome(cmp.Or(c.language, o.secure.payment.language)).Redirect), nil
}
