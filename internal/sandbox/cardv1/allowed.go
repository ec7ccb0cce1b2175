package cardv1

import "time"

// allowedLists holds the allowed lists of a card or an account. What they forbid is not shown
// (document 1, setAllowedBeneficiaries and the following), so they are kept and read back,
// and decline nothing.
type allowedLists struct {
	beneficiaries []string
	mccs          []int64
}

// allowedRequest follows the examples: an account by its number. "For a card or an account"
// leaves a card to be named as everywhere; then it is the card's own list.
type allowedRequest struct {
	AccountNumber      string              `json:"accountNumber"`
	CardIdentification *cardIdentification `json:"cardIdentification"`
	Beneficiaries      *[]string           `json:"beneficiaries"` // set operation only
	MccList            *[]int64            `json:"mccList"`       // set operation only
}

// allowed finds the lists that a request is about. An account given beside a card must be
// the card's.
func (b *bank) allowed(q allowedRequest) (*allowedLists, error) {
	if q.CardIdentification == nil {
		a, err := b.account(accountRequest{AccountNumber: q.AccountNumber})
		if err != nil {
			return nil, err
		}
		return &a.allowed, nil
	}
	card, err := b.identify(*q.CardIdentification, idsOfSandbox)
	if err != nil {
		return nil, err
	}
	if q.AccountNumber != "" && q.AccountNumber != card.account.number {
		return nil, fault(codeNoRecord, "the account is not that of the card")
	}
	return &card.allowed, nil
}

// setBeneficiaries replaces the list; an empty one takes it away.
func (b *bank) setBeneficiaries(q allowedRequest, _ time.Time) (doneAnswer, error) {
	lists, err := b.allowed(q)
	switch {
	case err != nil:
		return doneAnswer{}, err
	case q.Beneficiaries == nil:
		return doneAnswer{}, missing("beneficiaries")
	}
	for _, one := range *q.Beneficiaries {
		if one == "" {
			return doneAnswer{}, fault(codeFormat, "a beneficiary is empty")
		}
	}
	lists.beneficiaries = *q.Beneficiaries
	return done, nil
}

type beneficiaryList struct {
	Beneficiaries []string `json:"beneficiaries"`
}

func (b *bank) beneficiaries(q allowedRequest, _ time.Time) (beneficiaryList, error) {
	lists, err := b.allowed(q)
	if err != nil {
		return beneficiaryList{}, err
	}
	return beneficiaryList{append([]string{}, lists.beneficiaries...)}, nil
}

// setMccList replaces the list of merchant category codes, which have four digits.
func (b *bank) setMccList(q allowedRequest, _ time.Time) (doneAnswer, error) {
	lists, err := b.allowed(q)
	switch {
	case err != nil:
		return doneAnswer{}, err
	case q.MccList == nil:
		return doneAnswer{}, missing("mccList")
	}
	for _, mcc := range *q.MccList {
		if mcc < 0 || mcc > 9999 {
			return doneAnswer{}, fault(codeFormat, "a merchant category code has four digits")
		}
	}
	lists.mccs = *q.MccList
	return done, nil
}

type mccList struct {
	MccList []int64 `json:"mccList"`
}

func (b *bank) mccList(q allowedRequest, _ time.Time) (mccList, error) {
	lists, err := b.allowed(q)
	if err != nil {
		return mccList{}, err
	}
	return mccList{append([]int64{}, lists.mccs...)}, nil
}
