package sandbox_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/paytape/paytape/internal/sandbox"
)

// chromium is a tab of a real browser.
type chromium struct {
	t   *testing.T
	ctx context.Context
}

// newChromium starts a browser without a window. It runs without its sandbox, which it needs
// as root; it only ever sees pages of this test.
func newChromium(t *testing.T) chromium {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("Chromium is not installed: the pages are walked without a browser only")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.ExecPath(path))
	starter, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	tab, shut := chromedp.NewContext(starter)
	t.Cleanup(shut)
	ctx, cancel := context.WithTimeout(tab, 2*time.Minute)
	t.Cleanup(cancel)
	return chromium{t, ctx}
}

func (b chromium) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// fill types a card into the payment page and pays.
func (b chromium) fill(card string) {
	b.t.Helper()
	type css = chromedp.CSS
	b.do("filling in the form",
		chromedp.WaitVisible(css(`input[name="TEXT"]`)),
		chromedp.SendKeys(css(`input[name="$PAN"]`), card),
		chromedp.SendKeys(css(`input[name="MM"]`), "12"),
		chromedp.SendKeys(css(`input[name="YYYY"]`), "2030"),
		chromedp.SendKeys(css(`input[name="$CVC"]`), "123"),
		chromedp.SendKeys(css(`input[name="TEXT"]`), "Test Person"),
		chromedp.Click(css(`button`)))
}

// confirm answers the ACS.
func (b chromium) confirm() {
	b.t.Helper()
	b.do("answering the ACS",
		chromedp.WaitVisible(chromedp.CSS(`input[name="password"]`)),
		chromedp.SendKeys(chromedp.CSS(`input[name="password"]`), acsPassword),
		chromedp.Click(chromedp.CSS(`button[value="confirm"]`)))
}

// atShop waits for the shop's page and checks with what it was opened.
func (b chromium) atShop(path, orderID string) {
	b.t.Helper()
	b.do("waiting for the shop", chromedp.WaitVisible(chromedp.CSS(`#shop`)))
	got, err := chromedp.Run(b.ctx, chromedp.Text(chromedp.CSS(`#shop`)))
	if err != nil {
		b.t.Fatalf("reading the shop's page: %v", err)
	}
	if want := path + "?orderId=" + orderID + "&lang=en"; got != want {
		b.t.Errorf("the shop was opened at %q, want %q", got, want)
	}
}

// newShop is a shop that shows how it was opened. Its page /pay sends the browser to the ACS by
// a form of its own.
func newShop(t *testing.T) *httptest.Server {
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path != "/pay" {
			_, _ = io.WriteString(w, `<p id="shop"></p><script>document.getElementById("shop").`+
				`textContent = location.pathname + location.search</script>`)
			return
		}
		_, _ = io.WriteString(w, `<form method="post"></form><script>
			const given = new URLSearchParams(location.search), form = document.forms[0]
			form.action = given.get("action")
			for (const [name, value] of given) {
				const input = document.createElement("input")
				input.name = name; input.value = value; form.append(input)
			}
			form.submit()</script>`)
	}))
	t.Cleanup(shop.Close)
	return shop
}

// The hosted page and a challenge, walked as a payer does: with scripts on, nothing but the
// card and the password is typed and no other button pressed.
func TestBrowserWalks(t *testing.T) {
	t.Parallel()
	b := newChromium(t)
	shop := newShop(t)
	c := newClient(t, sandbox.Options{Seed: 1})
	register := func(number string) answer {
		return c.register(number, "returnUrl", shop.URL+"/back", "failUrl", shop.URL+"/sorry")
	}
	for number, card := range map[string]string{
		"plain": cardPaid, "version 1": cardSecure1, "challenge": cardSecure,
		"frictionless": cardFrictionless, "soft decline": cardSoft,
	} {
		a := register(number)
		b.do(number, chromedp.Navigate(a.get("formUrl")))
		b.fill(card)
		if card != cardPaid && card != cardFrictionless {
			b.confirm()
		}
		b.atShop("/back", a.get("orderId"))
		c.ends(a.get("orderId"), "2", "0")
	}
	for _, declined := range []string{"hosted", "direct"} {
		a := register(declined)
		id := a.get("orderId")
		if declined == "hosted" {
			b.do(declined, chromedp.Navigate(a.get("formUrl")))
			b.fill(cardSecure)
		} else {
			c.pay(id, cardSecure)
			c.proceed(id)
			b.do(declined, chromedp.Navigate(c.base+"/payment/acsRedirect.do?orderId="+id))
		}
		b.do("cancelling", chromedp.Click(chromedp.CSS(`button[value="cancel"]`)))
		b.atShop("/sorry", id)
		c.ends(id, "6", "-2006")
	}
}

// A direct payment: the shop's own form takes the browser to the ACS.
func TestBrowserWalksADirectChallenge(t *testing.T) {
	t.Parallel()
	b := newChromium(t)
	shop := newShop(t)
	c := newClient(t, sandbox.Options{Seed: 1})
	for number, card := range map[string]string{"1": cardSecure1, "2": cardSecure} {
		id := c.register(number, "returnUrl", shop.URL+"/back").get("orderId")
		a := c.pay(id, card)
		query := values([]string{"PaReq", a.get("paReq"), "MD", id, "TermUrl", a.get("termUrl")})
		if number == "2" {
			a = c.proceed(id)
			query = values([]string{"creq", a.get("packedCReq")})
		}
		query.Set("action", a.get("acsUrl"))
		b.do("the shop", chromedp.Navigate(shop.URL+"/pay?"+query.Encode()))
		b.confirm()
		b.atShop("/back", id)
		c.ends(id, "2", "0")
	}
}

// The policy of the pages must allow their own style.
func TestBrowserKeepsTheStyle(t *testing.T) {
	t.Parallel()
	b := newChromium(t)
	c := newClient(t, sandbox.Options{Seed: 1})
	b.do("opening the page", chromedp.Navigate(c.register("1").get("formUrl")))
	got, err := chromedp.Run(b.ctx,
		chromedp.Evaluate[string]("getComputedStyle(document.body).maxWidth"))
	if err != nil || got != "416px" { // 26rem
		t.Errorf("the width is %q (%v), want 416px", got, err)
	}
}
