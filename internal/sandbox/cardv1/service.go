package cardv1

import (
	"maps"
	"slices"
	"time"
)

// services are the subscriptions of a card or an account: by name, what was last said about
// where to send messages.
type services map[string]serviceParameters

type serviceParameters struct {
	PhoneNumber string `json:"phoneNumber"`
	Email       string `json:"email"`
}

// serviceMove is what an action asks of a subscription and does with it.
type serviceMove struct {
	needs bool // the subscription must exist; otherwise it must not
	apply func(s services, name string, p serviceParameters)
}

func setService(s services, name string, p serviceParameters) { s[name] = p }
func endService(s services, name string, _ serviceParameters) { delete(s, name) }
func leaveService(_ services, _ string, _ serviceParameters)  {}

// serviceMoves are the actions by actionCode (document 1, serviceAction). What each of them
// does is not shown: ADD, UPDATE and DELETE do what they say, the rest ask whether the
// subscription is there.
var serviceMoves = map[string]serviceMove{
	"ACTION_CODE_ADD":                {false, setService},
	"ACTION_CODE_UPDATE":             {true, setService},
	"ACTION_CODE_DELETE":             {true, endService},
	"ACTION_CODE_CHECK":              {true, leaveService},
	"ACTION_CODE_CHANGE_ACCESS":      {true, leaveService},
	"ACTION_CODE_CHECK_PARAMETERS":   {true, leaveService},
	"ACTION_CODE_RESTORE_PARAMETERS": {true, leaveService},
	"ACTION_CODE_INQUIRE":            {true, leaveService},
	"ACTION_CODE_ACTION":             {true, leaveService},
}

type serviceRequest struct {
	cardRequest
	ServiceIdentification struct {
		ServiceType       string `json:"serviceType"`
		ServiceID         string `json:"serviceId"`
		ServiceObjectType string `json:"serviceObjectType"`
	} `json:"serviceIdentification"`
	ActionCode        string            `json:"actionCode"`
	AccountNumber     string            `json:"accountNumber"`
	ServiceParameters serviceParameters `json:"serviceParameters"`
}

const (
	serviceOfCard    = "SERVICE_OBJECT_CARD"
	serviceOfAccount = "SERVICE_OBJECT_ACCOUNT"
)

func (q serviceRequest) check() error {
	service := q.ServiceIdentification
	err := required(
		"serviceIdentification.serviceType", service.ServiceType,
		"serviceIdentification.serviceId", service.ServiceID,
		"serviceIdentification.serviceObjectType", service.ServiceObjectType,
		"actionCode", q.ActionCode,
		"cardIdentification.expDate", q.CardIdentification.ExpDate)
	_, known := serviceMoves[q.ActionCode]
	switch {
	case err != nil:
		return err
	case service.ServiceObjectType != serviceOfCard && service.ServiceObjectType != serviceOfAccount:
		return fault(codeFormat, "serviceObjectType is unknown")
	case !known:
		return fault(codeFormat, "actionCode is unknown")
	}
	return nil
}

// subscriptions finds the card and with it the object that the service is about. An account
// that is named must be the card's.
func (b *bank) subscriptions(q serviceRequest) (services, error) {
	card, err := b.card(q.cardRequest, idsOfService)
	switch {
	case err != nil:
		return nil, err
	case q.CardIdentification.ExpDate != card.expiry:
		return nil, fault(codeNoCard, "expDate is not that of the card")
	case q.AccountNumber != "" && q.AccountNumber != card.account.number:
		return nil, fault(codeNoRecord, "the account is not that of the card")
	case q.ServiceIdentification.ServiceObjectType == serviceOfAccount:
		return card.account.services, nil
	}
	return card.services, nil
}

// serviceAction works on a subscription. Services need no registration: any type and id
// will do.
func (b *bank) serviceAction(q serviceRequest, _ time.Time) (doneAnswer, error) {
	if err := q.check(); err != nil {
		return doneAnswer{}, err
	}
	subscribed, err := b.subscriptions(q)
	if err != nil {
		return doneAnswer{}, err
	}
	name := q.ServiceIdentification.ServiceType + "/" + q.ServiceIdentification.ServiceID
	_, exists := subscribed[name]
	move := serviceMoves[q.ActionCode]
	switch {
	case move.needs && !exists:
		return doneAnswer{}, fault(codeNoRecord, "no such service")
	case !move.needs && exists:
		return doneAnswer{}, fault(codeDuplicate, "the service is there already")
	}
	move.apply(subscribed, name, q.ServiceParameters)
	return done, nil
}

// names lists the subscriptions in alphabetical order.
func (s services) names() []string {
	return append([]string{}, slices.Sorted(maps.Keys(s))...)
}
