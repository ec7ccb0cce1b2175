package sandbox

import "time"

// v1Allowed holds the allowed lists of a card or an account. What they forbid is not shown
// (document 1, setAllowedBeneficiaries and the following), so they are kept and read back,
// and decline nothing.
type v1Allowed struct {
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
func (b *v1Bank) allowed(q allowedRequest) (*v1Allowed, error) {
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
func (b *v1Bank) setBeneficiaries(q allowedRequest, _ time.Time) (v1Done, error) {
	lists, err := b.allowed(q)
	switch {
	case err != nil:
		return v1Done{}, err
	case q.Beneficiaries == nil:
		return v1Done{}, missing("beneficiaries")
	}
	for _, one := range *q.Beneficiaries {
		if one == "" {
			return v1Done{}, fault(codeFormat, "a beneficiary is empty")
		}
	}
	lists.beneficiaries = *q.Beneficiaries
	return done, nil
}

type beneficiaryList struct {
	Beneficiaries []string `json:"beneficiaries"`
}

func (b *v1Bank) beneficiaries(q allowedRequest, _ time.Time) (beneficiaryList, error) {
	lists, err := b.allowed(q)
	if err != nil {
		return beneficiaryList{}, err
	}
	return beneficiaryList{append([]string{}, lists.beneficiaries...)}, nil
}

// setMccList replaces the list of merchant category codes, which have four digits.
func (b *v1Bank) setMccList(q allowedRequest, _ time.Time) (v1Done, error) {
	lists, err := b.allowed(q)
	switch {
	case err != nil:
		return v1Done{}, err
	case q.MccList == nil:
		return v1Done{}, missing("mccList")
	}
	for _, mcc := range *q.MccList {
		if mcc < 0 || mcc > 9999 {
			return v1Done{}, fault(codeFormat, "a merchant category code has four digits")
		}
	}
	lists.mccs = *q.MccList
	return done, nil
}

type mccList struct {
	MccList []int64 `json:"mccList"`
}

func (b *v1Bank) mccList(q allowedRequest, _ time.Time) (mccList, error) {
	lists, err := b.allowed(q)
	if err != nil {
		return mccList{}, err
	}
	return mccList{append([]int64{}, lists.mccs...)}, nil
}
