package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// inspectorRules are the rules of the walk: one to be armed, and one that declines a card.
const inspectorRules = `# paytape rules 1
rules:
  - name: gateway-down
    op: getOrderStatusExtended.do
    when: asked
    then: {answer: {status: 503}}
  - name: lost-card
    op: paymentorder.do
    where: {$PAN: "555555*5599"}
    then: {decline: 116}
`

// Published test numbers: one that is declined, and one that a rule declines.
const (
	brokeCard = "400000" + "0000009995"
	lostCard  = "555555" + "5555555599"
)

// TestInspector walks through the page of real decks with keys alone: a recording deck with the
// built-in sandbox behind it, then one that replays.
func TestInspector(t *testing.T) {
	payers := startChromium(t, 1)
	shown := &shownTexts{texts: map[string]string{}}
	dir, shop := t.TempDir(), openTold(t)
	key := filepath.Join(t.TempDir(), "key.txt")
	if err := os.WriteFile(key, []byte(recipeKey), 0o600); err != nil {
		t.Fatal(err)
	}
	walk := &inspectorWalk{t: t, payer: payers[0], shown: shown, shop: shop, dir: dir, key: key}
	walk.record()
	walk.replay()
	walk.others()
	shown.check(t, richCard, brokeCard, secureCard, cardSecure2, recipeKey, rightPassword)
}

type inspectorWalk struct {
	t     *testing.T
	payer *chromium
	shown *shownTexts
	shop  *toldShop
	dir   string // of the cassette
	key   string // file with the shop's key for checksums
}

// pay3DS pays an order in a browser, with a challenge.
func (w *inspectorWalk) pay3DS(base, number string) {
	w.t.Helper()
	p := &checkout{chromium: w.payer, shop: newBrowserShop(w.t), base: base, client: direct(w.t)}
	a := p.call("register.do", "orderNumber", number, "amount", "1001", "currency", "978",
		"returnUrl", p.shop.URL+"/back", "failUrl", p.shop.URL+"/sorry", "language", "en")
	p.number, p.id = number, a.Get("orderId").String()
	p.challenge2(cardSecure2, "")
	p.atShop()
	p.call("getOrderStatusExtended.do", "orderId", p.id, "language", "en")
}

func (w *inspectorWalk) record() {
	w.t.Helper()
	d := startServing(w.t, "record", "--upstream", "sandbox", "--callbacks", "relay",
		"--callback-key-file", w.key, "--dir", w.dir, "shop")
	page := w.shown.openInspector(w.t, w.payer.ctx, d.Inspect)
	page.see("No exchange yet")
	page.picture("1-traffic-empty")
	c := &counter{TB: w.t, base: d.Proxy}
	paid := c.callable("R-1", w.shop.URL)
	page.see("R-1")
	c.pay(paid, richCard)
	w.shop.next(w.t)
	c.status(paid)
	page.see("paid")
	c.must("refund.do", "orderId", paid, "amount", "12500")
	w.shop.next(w.t)
	poor := c.callable("R-2", w.shop.URL)
	c.pay(poor, brokeCard)
	c.status(poor)
	page.see("R-2", "declined: insufficient funds")
	w.pay3DS(d.Proxy, "R-3")
	page.see("R-3", "paid 10.01 EUR")
	page.picture("1-traffic-record")
	page.close()
	d.stop()
}

// replay lets the same be paid for again, with other orders, and walks through all screens.
func (w *inspectorWalk) replay() {
	w.t.Helper()
	rules := filepath.Join(w.t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte(inspectorRules), 0o600); err != nil {
		w.t.Fatal(err)
	}
	d := startServing(w.t, "replay", "--callback-key-file", w.key, "--rules", rules,
		"--dir", w.dir, "shop")
	page := w.shown.openInspector(w.t, w.payer.ctx, d.Inspect)
	c := &counter{TB: w.t, base: d.Proxy}
	paid := c.callable("B-1", w.shop.URL)
	c.pay(paid, richCard)
	w.shop.next(w.t)
	c.status(paid)
	for _, order := range []struct{ number, card string }{{"B-2", brokeCard}, {"B-4", lostCard}} {
		id := c.callable(order.number, w.shop.URL)
		c.pay(id, order.card)
		c.status(id)
	}
	w.pay3DS(d.Proxy, "B-3")
	c.must("refund.do", "orderId", paid, "amount", "999")
	page.see("B-1", "B-2", "B-3", "B-4", "1 miss")
	page.picture("1-traffic-replay")
	page.press("*")
	page.see("refund.do")
	page.picture("1-traffic-unfolded")

	w.filter(page)
	w.flows(page)
	w.exchange(page)
	w.miss(page)
	w.tape(page)
	w.rules(page, c, paid)
	w.callbacks(page, c)
	w.links(page, d)
	page.close()
	d.stop()
}

// selected is the line of the list that is selected.
const selected = `document.querySelector('.rows [aria-selected=true]')`

// filter filters by a word that is completed, and takes the filter away.
func (w *inspectorWalk) filter(page *watcher) {
	w.t.Helper()
	page.press("/", "served:mi")
	page.wait(`document.querySelector('#words [role=option]')?.textContent.startsWith('miss')`)
	page.picture("1-traffic-completion")
	page.press(kb.ArrowDown, kb.Enter)
	page.wait(`document.querySelector('#filter').value.trim() === 'served:miss'`)
	page.press(kb.Enter)
	page.wait(`new URLSearchParams(location.search).get('q') === 'served:miss' &&
		document.activeElement.id !== 'filter' && document.querySelectorAll('.rows .r.g').length === 1`)
	page.see("refund.do")
	page.picture("1-traffic-filtered")
	page.press("/", "nonsense:1")
	page.wait(`document.querySelector('.combo .wrong')`)
	page.picture("1-traffic-wrong-filter")
	page.press(kb.Escape, kb.Escape, kb.Escape)
	page.wait(`document.querySelectorAll('.rows .r.g').length === 4`)
}

// selectOrder goes to the line of an order.
func (w *inspectorWalk) selectOrder(page *watcher, number string) {
	w.t.Helper()
	page.press("1")
	page.arrive("^/$")
	page.press(kb.Home)
	for range 4 {
		page.wait(selected)
		if read[bool](page, fmt.Sprintf(`%s.innerText.includes(%q)`, selected, number)) {
			return
		}
		before := read[string](page, selected+`.ariaRowIndex`)
		page.press("J")
		page.wait(fmt.Sprintf(`%s.ariaRowIndex !== %q`, selected, before))
	}
	page.fail("there is no order " + number)
}

// flows compares two orders, and looks at one in all its ways.
func (w *inspectorWalk) flows(page *watcher) {
	w.t.Helper()
	w.selectOrder(page, "B-2")
	page.press("c")
	page.wait(`document.querySelector('.rows .marked')`)
	for range 4 {
		before := read[string](page, selected+`.ariaRowIndex`)
		page.press("J")
		page.wait(fmt.Sprintf(`%s.ariaRowIndex !== %q`, selected, before))
		if read[bool](page, selected+`.innerText.includes('B-1')`) {
			break
		}
	}
	page.press("c")
	page.arrive("^/compare/g[0-9]+/g[0-9]+$")
	page.see("Compare with B-1", "first answer that differs")
	page.picture("2-compare")
	page.press("]")
	page.wait(`document.activeElement.textContent.includes('first')`)
	w.selectOrder(page, "B-3")
	page.press("o")
	page.arrive("^/flow/g[0-9]+$")
	page.see("Order B-3", "acsUrl")
	page.picture("2-flow")
	page.press("t")
	page.see("From, to")
	page.picture("2-flow-table")
	page.press("v")
	page.see("mdOrder")
	page.picture("2-flow-values")
	page.press("s")
	page.wait(`document.querySelector('.seq')`)
	page.press("j", "j", kb.Enter)
	page.arrive("^/x/[0-9]+$")
}

// exchange looks at what was sent and served, goes to where a value was born, and makes a call that
// was copied.
func (w *inspectorWalk) exchange(page *watcher) {
	w.t.Helper()
	page.see("Kinds of values")
	page.picture("3-exchange")
	card := func(path string) {
		w.t.Helper()
		page.wait(fmt.Sprintf(`document.querySelector('.hov')?.ariaLabel.endsWith(%q)`, path))
	}
	page.press("j")
	card("$CVC")
	page.press("j", "j", "j")
	card("MDORDER")
	page.picture("3-exchange-value")
	page.press(kb.Escape, "h")
	page.see("as served: 200 OK")
	page.picture("3-exchange-headers")
	page.press("x")
	page.see("as served, ")
	page.picture("3-exchange-raw")
	page.press("f", "j")
	card("MDORDER")
	page.press("b")
	page.wait(`document.querySelector('h1')?.textContent.includes('register.do')`)
	page.wait(`document.querySelector('.hov')`)
	page.press("N")
	page.wait(`document.querySelector('h1')?.textContent.includes('getOrderStatusExtended.do')`)
	page.press("y", "c")
	page.wait(`window.copied`)

	before := w.requests(page)
	cmd := exec.CommandContext(w.t.Context(), "sh", "-c", read[string](page, `window.copied`))
	cmd.Env = append(os.Environ(), "PASSWORD=sandbox-"+"password")
	answer, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(answer), `"orderNumber":"B-3"`) {
		w.t.Errorf("the copied command: %v, and %s", err, answer)
	}
	page.wait(fmt.Sprintf(`(%s) > %d`, requests, before))
}

// requests is how many requests the page says there were.
const requests = `Number(document.querySelector('nav .count').textContent)`

func (w *inspectorWalk) requests(page *watcher) int {
	w.t.Helper()
	return read[int](page, requests)
}

// miss goes to the reason of a miss, and to what would mend it.
func (w *inspectorWalk) miss(page *watcher) {
	w.t.Helper()
	page.press("1")
	page.arrive("^/$")
	page.press("m")
	page.wait(selected + `?.innerText.includes('miss: field')`)
	page.picture("1-traffic-miss")
	page.press("w")
	page.arrive("^/why/[0-9]+$")
	page.see("What would mend it", "amount")
	page.picture("4-why-miss")
	page.press("y", "r")
	page.wait(`window.copied.includes('amount: client shared')`)
}

// tape walks along the states of the cassette.
func (w *inspectorWalk) tape(page *watcher) {
	w.t.Helper()
	page.press("2")
	page.arrive("^/tape/shop$")
	page.wait(`document.querySelector('.graph .state')`)
	page.picture("5-tape")
	page.tabTo(".graph [tabindex='0']")
	page.press(kb.ArrowRight)
	page.press("t")
	page.picture("5-tape-table")
}

// rules arms a rule for a request, for which it fires; and another time, but takes that back.
func (w *inspectorWalk) rules(page *watcher, c *counter, order string) {
	w.t.Helper()
	const toggle = "[role=switch][aria-label=gateway-down]"
	press := func(armed bool) {
		w.t.Helper()
		page.tabTo(toggle)
		page.press(" ")
		page.wait(fmt.Sprintf(`document.querySelector(%q).ariaChecked === '%t'`, toggle, armed))
	}
	page.press("3")
	page.arrive("^/rules$")
	page.see("gateway-down")
	press(true)
	page.picture("6-rules-armed")
	c.explained(c.status(order), "gateway-down(1)")
	page.wait(fmt.Sprintf(`document.querySelector(%q).ariaChecked === 'false' &&
		document.querySelector(%q).closest('tr').innerText.includes('1 of 1')`, toggle, toggle))
	page.picture("6-rules-fired")
	press(true)
	press(false)
	c.explained(c.status(order), "")
}

// callbacks holds what the shop would be told, and lets the next one go.
func (w *inspectorWalk) callbacks(page *watcher, c *counter) {
	w.t.Helper()
	page.tabTo("[data-name='mode hold']")
	page.press(kb.Enter)
	page.wait(`document.querySelector("[data-name='mode hold']").ariaPressed === 'true'`)
	id := c.callable("B-5", w.shop.URL)
	c.pay(id, richCard)
	c.status(id)
	page.see("first in line")
	page.picture("6-callbacks-held")
	if len(w.shop.told) > 0 {
		w.t.Error("the shop was told of what is held")
	}
	page.press(">")
	if told := w.shop.next(w.t); told != paidTold {
		w.t.Errorf("the shop is told %q", told)
	}
	page.wait(`!document.querySelector('main').innerText.includes('first in line')`)
	page.picture("6-callbacks-sent")
}

// links opens each screen by its address in a tab of its own, wide and narrow, light and dark; then
// the same page below the admin address, and a tab that has no token.
func (w *inspectorWalk) links(page *watcher, d *servedCommand) {
	w.t.Helper()
	for _, link := range []struct{ name, path, shows string }{
		{"1-traffic", "", "B-5"},
		{"2-flow", "flow/B-3", "Order B-3"},
		{"2-compare", "compare/B-2/B-1", "Compare with B-1"},
		{"3-exchange", "x/2", "Kinds of values"},
		{"4-why-miss", "why/last-miss", "What would mend it"},
		{"4-why-hit", "why/2", "What was checked"},
		{"5-tape", "tape/shop", "Tape shop"},
		{"6-rules", "rules", "gateway-down"},
		{"6-callbacks", "callbacks?callback=2", "B-5"},
	} {
		tab := page.another(link.path)
		tab.see(link.shows)
		for _, theme := range []string{"light", "dark"} {
			tab.theme(theme)
			tab.picture("link-" + link.name + "-" + theme)
		}
		tab.do("narrowing", chromedp.EmulateViewport(390, 844), chromedp.Reload())
		tab.see(link.shows)
		tab.picture("link-" + link.name + "-phone")
		for what, wide := range map[string]string{"page": "html", "screen": ".screen"} {
			if n := read[int](tab, `document.querySelector('`+wide+`').scrollWidth`); n > 390 {
				w.t.Errorf("%s: the %s is %d pixels wide", link.path, what, n)
			}
		}
		tab.close()
	}

	admin := w.shown.openInspector(w.t, w.payer.ctx, d.Admin+"/inspect/")
	admin.see("B-5")
	admin.press("m")
	admin.wait(selected)
	admin.press("w")
	admin.arrive("^/inspect/why/[0-9]+$")
	admin.picture("7-admin-why")
	admin.close()

	stranger := w.shown.watch(w.t, w.payer.ctx, page.at.String()+"x/2",
		chromedp.WithNewBrowserContext())
	stranger.at, stranger.token = page.at, page.token
	stranger.see("This tab has no token")
	stranger.picture("8-no-token")
	stranger.press(page.token, kb.Enter)
	stranger.see("Kinds of values")
	stranger.close()
}

// others looks at decks that spy and pass: their traffic is live too, and nothing is sent again
// before somebody has agreed.
func (w *inspectorWalk) others() {
	w.t.Helper()
	for _, args := range [][]string{
		{"spy", "--upstream", "sandbox", "--callback-key-file", w.key, "--dir", w.dir, "shop"},
		{"pass", "--upstream", "sandbox"},
	} {
		d := startServing(w.t, args...)
		page := w.shown.openInspector(w.t, w.payer.ctx, d.Inspect)
		c := &counter{TB: w.t, base: d.Proxy}
		id := c.register("R-9")
		c.pay(id, richCard)
		c.status(id)
		page.see("R-9", "paid 125.00 EUR")
		page.press("j", kb.ArrowRight)
		page.see("getOrderStatusExtended.do")
		page.picture("9-" + args[0] + "-traffic")
		page.press("j", kb.Enter)
		page.arrive("^/x/1$")
		page.press("r")
		page.wait(`document.querySelector('dialog[open]')`)
		page.picture("9-" + args[0] + "-question")
		page.tabTo("dialog button.main")
		page.press(kb.Enter)
		page.arrive("^/x/4$")
		page.picture("9-" + args[0] + "-exchange")
		page.press("2")
		page.arrive("^/tape")
		page.picture("9-" + args[0] + "-tape")
		page.press("3")
		page.arrive("^/rules$")
		page.see("No rule is in force")
		page.picture("9-" + args[0] + "-rules")
		page.press("?")
		page.wait(`document.querySelector('dialog[open]')`)
		page.picture("9-" + args[0] + "-keys")
		page.press(kb.Escape)
		page.close()
		d.stop()
	}
}
