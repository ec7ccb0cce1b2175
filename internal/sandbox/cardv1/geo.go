package cardv1

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// geoRule is a geographic restriction (document 1, Geographic restriction).
type geoRule struct {
	CountryID          *int64 `json:"countryId,omitempty"`
	RegionID           *int64 `json:"regionId,omitempty"`
	TransactionGroupID *int64 `json:"transactionGroupId,omitempty"` // absent: all groups
	Status             string `json:"status"`
	StartDate          string `json:"startDate,omitempty"`
	EndDate            string `json:"endDate,omitempty"` // inclusive
}

// geoName is an entry of the lists that getGeoRestrictions shows.
type geoName struct {
	ID          int64  `json:"id"`
	Description string `json:"description"`
}

// The places and groups that rules can be about. The document shows none; these are ours,
// countries by their ISO 3166 number.
var (
	geoRegions = []geoName{{1, "Europe"}, {2, "Asia"}, {3, "North America"}, {4, "South America"},
		{5, "Africa"}, {6, "Oceania"}}
	geoCountries = []geoName{{40, "Austria"}, {56, "Belgium"}, {250, "France"}, {276, "Germany"},
		{380, "Italy"}, {528, "Netherlands"}, {643, "Russia"}, {724, "Spain"},
		{826, "United Kingdom"}, {840, "United States"}}
	geoGroups = []geoName{{1, "Cash withdrawal"}, {2, "Purchase"}, {3, "Internet"}, {4, "Transfer"}}
)

const (
	geoEnabled  = "ENABLED"
	geoDisabled = "DISABLED"
)

// check asks for a place, a status and known ids. What a restriction is without a place is
// not shown.
func (r geoRule) check() error {
	switch {
	case r.CountryID == nil && r.RegionID == nil:
		return missing("restrictions.countryId")
	case !known(geoCountries, r.CountryID), !known(geoRegions, r.RegionID),
		!known(geoGroups, r.TransactionGroupID):
		return fault(codeNoRecord, "a restriction names an unknown country, region or group")
	case r.Status == "":
		return missing("restrictions.status")
	case r.Status != geoEnabled && r.Status != geoDisabled:
		return fault(codeFormat, "restrictions.status must be ENABLED or DISABLED")
	case !isMoment(r.StartDate) || !isMoment(r.EndDate):
		return fault(codeFormat, "the dates of a restriction must begin with YYYY-MM-DD")
	case r.StartDate != "" && r.EndDate != "" && dayOf(r.StartDate) > dayOf(r.EndDate):
		return fault(codeFormat, "restrictions.startDate is after endDate")
	}
	return nil
}

func known(names []geoName, id *int64) bool {
	return id == nil || slices.ContainsFunc(names, func(n geoName) bool { return n.ID == *id })
}

// place is what two rules have in common when the later one replaces the earlier.
func (r geoRule) place() [3]int64 {
	const none = -1
	return [3]int64{valueOr(r.CountryID, none), valueOr(r.RegionID, none),
		valueOr(r.TransactionGroupID, none)}
}

// restricts tells whether the rule restricts the card, today or later.
func (r geoRule) restricts(now time.Time) bool {
	return r.Status == geoEnabled &&
		(r.EndDate == "" || dayOf(r.EndDate) >= now.Format(wire.DayForm))
}

type setGeoRequest struct {
	cardRequest
	Restrictions json.RawMessage `json:"restrictions"`
}

// rules reads the three forms: the one object of the table, the list that the answer has,
// and the list wrapped in an object as in the example (document 1, setGeoRestrictions).
func (q setGeoRequest) rules() ([]geoRule, error) {
	var wrapped struct {
		Restriction []geoRule `json:"restriction"`
		geoRule
	}
	var list []geoRule
	err := json.Unmarshal(q.Restrictions, &wrapped)
	switch {
	case len(q.Restrictions) == 0 || string(q.Restrictions) == "null":
		return nil, missing("restrictions")
	case json.Unmarshal(q.Restrictions, &list) == nil:
	case err != nil:
		return nil, fault(codeFormat, "restrictions must be a restriction or a list of them")
	case wrapped.Restriction != nil:
		list = wrapped.Restriction
	default:
		list = []geoRule{wrapped.geoRule}
	}
	if len(list) == 0 {
		return nil, missing("restrictions")
	}
	for _, rule := range list {
		if err := rule.check(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// setGeoRestrictions adds rules to a card, or none if one of them is wrong. A rule for the
// same place and group replaces the old one. Which payments a rule stops is not shown, so
// rules are kept and read back, and decline nothing.
func (b *bank) setGeoRestrictions(q setGeoRequest, _ time.Time) (doneAnswer, error) {
	card, err := b.card(q.cardRequest, idsOfSandbox)
	rules, rulesErr := q.rules()
	if err := wire.FirstError(err, rulesErr); err != nil {
		return doneAnswer{}, err
	}
	for _, rule := range rules {
		card.rules = slices.DeleteFunc(card.rules, func(old geoRule) bool {
			return old.place() == rule.place()
		})
		card.rules = append(card.rules, rule)
	}
	return done, nil
}

// geoView answers getGeoRestrictions with plain lists, as its table has them.
type geoView struct {
	Regions           []geoName `json:"regions"`
	Countries         []geoName `json:"countries"`
	TransactionGroups []geoName `json:"transactionGroups"`
	Restrictions      []geoRule `json:"restrictions"`
}

// geoRestrictions shows only the rules that restrict the card (document 1,
// getGeoRestrictions): those that are ENABLED and not over.
func (b *bank) geoRestrictions(q cardRequest, now time.Time) (geoView, error) {
	card, err := b.card(q, idsOfSandbox)
	if err != nil {
		return geoView{}, err
	}
	view := geoView{geoRegions, geoCountries, geoGroups, []geoRule{}}
	for _, rule := range card.rules {
		if rule.restricts(now) {
			view.Restrictions = append(view.Restrictions, rule)
		}
	}
	return view, nil
}
