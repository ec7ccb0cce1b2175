package sandbox_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
)

// story calls every operation once and returns what was answered, in order.
func story(c *client) []string {
	var told []string
	tell := func(a answer) answer {
		told = append(told, a.header.Get("Request-id")+a.body)
		return a
	}
	id := tell(c.register("", "clientId", "7", "features", "FORCE_CREATE_BINDING")).get("orderId")
	tell(c.pay(id, cardPaid))
	tell(c.orderStatus(id))
	tell(c.bindings("C"))
	held := c.hold("A", cardPaid)
	for _, op := range []string{"deposit.do", "refund.do", "getOrderStatus.do"} {
		tell(c.manage(op, held, "0"))
	}
	tell(c.manage("reverse.do", c.hold("B", cardPaid)))
	tell(c.manage("decline.do", c.register("C").get("orderId")))
	tell(c.last())
	tell(c.payBound(c.ofClient(), c.bind("C")))
	tell(c.recurrent(c.bind("R"), "R1", ""))
	tell(c.instalment(c.bind("I"), "I1", ""))
	tell(c.pay(c.register("D").get("orderId"), cardSecure1))
	secured := c.register("E").get("orderId")
	tell(c.pay(secured, cardSecure))
	tell(c.proceed(secured))
	from, to := c.card("1"), c.card("2")
	tell(c.credit(from, 5))
	tell(c.transfer(from, to, 5, ""))
	tell(c.byNumber("generateCVC2", to, ""))
	tell(c.byNumber("generatePin", to, `,"pinDeliveryMethod":"WS_ENCRYPTED"`))
	tell(c.byNumber("getTransactions", to, `,"period":{}`))
	for _, call := range c.everything("3") {
		tell(c.v1(call.op, "%s", call.body))
	}
	one, two := c.issue(5), c.issue(0)
	tell(c.send2(one, two, 5))
	tell(c.v2("GET", "cards/"+two.id, ""))
	return told
}

const zeroSeed = 98

func TestSeedDecidesEveryMintedValue(t *testing.T) {
	t.Parallel()
	// The port is the system's choice, not the seed's; a packed message holds it too.
	port := regexp.MustCompile(`127\.0\.0\.1:\d+|"threeDSMethodDataPacked":"[^"]+"`)
	tell := func(seed uint64) []string {
		told := story(newClient(t, sandbox.Options{Seed: seed}))
		for i := range told {
			told[i] = port.ReplaceAllString(told[i], "HOST")
		}
		return told
	}
	first, same, other := tell(5), tell(5), tell(6)
	for i := range first {
		if first[i] != same[i] {
			t.Errorf("answer %d differs under the same seed", i)
		}
	}
	if strings.Join(first, "") == strings.Join(other, "") {
		t.Error("another seed gives the same answers")
	}
}

func TestSeedZeroIsRandom(t *testing.T) {
	t.Parallel()
	one, two := newClient(t, sandbox.Options{}), newClient(t, sandbox.Options{})
	one.differ("orderId", one.register("1").get("orderId"), two.register("1").get("orderId"))
}

func TestOneAPIDoesNotDisturbAnother(t *testing.T) {
	t.Parallel()
	quiet := newClient(t, sandbox.Options{Seed: 5})
	busy := newClient(t, sandbox.Options{Seed: 5})
	busy.card("1")
	busy.holder()
	busy.same("orderId", busy.register("1").get("orderId"), quiet.register("1").get("orderId"))
}

func TestIssuedNumbersHaveThePrefixAndAreValid(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"4276", "220138", "427600123"} {
		c := newClient(t, sandbox.Options{Prefix: prefix})
		account := c.customer("1").get("accountNumber")
		a := c.v1("createVirtualCard", createCard, prefix+"0000000000", "203012", "5C", 0, 978, account)
		for _, number := range []string{
			a.get("virtualCardIdentification.cardNumber"), c.issue(0).number,
		} {
			if !strings.HasPrefix(number, prefix) || len(number) != len(prefix)+10 || !luhn(number) {
				t.Errorf("prefix %s: an issued number is not of its form", prefix)
			}
		}
	}
}

// luhn sums from the right by the table of doubled digits, unlike the code under test.
func luhn(number string) bool {
	doubled := [10]int{0, 2, 4, 6, 8, 1, 3, 5, 7, 9}
	sum := 0
	for i := range len(number) {
		d := int(number[i] - '0')
		if (len(number)-i)%2 == 0 {
			d = doubled[d]
		}
		sum += d
	}
	return sum%10 == 0
}

// The seeds are chosen such that plain random digits would come to 000 and to 0000 within
// these calls.
func TestNoCardHasCVC000OrPin0000(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{Seed: zeroSeed})
	account := c.customer("1").get("accountNumber")
	for range 40 {
		card := c.virtualCard(account).get("virtualCardIdentification.cardNumber")
		c.differ("CVC", c.byNumber("generateCVC2", card, "").get("cvc2"), "000")
	}
	c = newClient(t, sandbox.Options{Seed: zeroSeed})
	card := c.card("1")
	for range 300 {
		c.differ("PIN", c.byNumber("generatePin", card, "").get("pinValue"), "0000")
	}
}

func TestOptionsCheck(t *testing.T) {
	t.Parallel()
	for prefix, ok := range map[string]bool{
		"": true, "4276": true, "427600": true, "123456789": true,
		"427": false, "1234567890": false, "42760a": false, "４２７６": false,
	} {
		if err := (sandbox.Options{Prefix: prefix}).Check(); (err == nil) != ok {
			t.Errorf("Check of prefix %q says %v", prefix, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("New takes options that Check refuses")
		}
	}()
	sandbox.New(sandbox.Options{Prefix: "x"})
}

func TestAccountFieldsFallBackOneByOne(t *testing.T) {
	t.Parallel()
	account := sandbox.Account{GatewayPassword: "other", V1Token: "token", V2Key: "key"}
	c := newClient(t, sandbox.Options{Account: account})
	c.is(c.register("1"), "errorCode", `"5"`)
	c.is(c.register("1", "password", "other"), "errorCode", "")
	c.code(c.customer("1"), 401)
	c.basic = "Basic token"
	c.code(c.customer("1"), 200)
	c.code(c.v2("POST", "cardholders", holderBody), 401)
	c.key = "key"
	c.code(c.v2("POST", "cardholders", holderBody), 200)
}

func TestPathsOfNoAPIAre404(t *testing.T) {
	t.Parallel()
	c := newClient(t, sandbox.Options{})
	for _, path := range []string{"/", "/payments", "/v3/cards", "/v2", "//v2/cards"} {
		c.code(c.send("GET", path, ""), 404)
	}
}
