package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestLooks takes pictures of the list.
func TestLooks(t *testing.T) {
	d := startDeck(t, 60)
	b := openTab(t, d, "/?open=g56,g58&row=566", 1440, 900)
	b.wait(selected)
	b.wait(`document.querySelector('.peek').innerText.includes('Order id')`)
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		b.picture(theme)
	}
	b.press("/", "served:")
	b.wait(`document.querySelectorAll('[role=option]').length === 2`)
	b.picture("completion")
	b.press(kb.Escape, kb.Escape, "?")
	b.wait(`document.querySelector('dialog[open]')`)
	b.picture("keys")
}

// TestAHundredThousandLines goes to the end and to the middle of a list of 100,000 flows. The page
// holds the lines in sight alone.
func TestAHundredThousandLines(t *testing.T) {
	const flows = 100_000
	d := startDeck(t, flows)
	b := openTab(t, d, "/", 1440, 900)
	b.wait(firstRow)
	for _, test := range []struct {
		name, top string
		first     int // index of the first line in sight; -1: the list ends here
	}{
		{"end", "1e9", -1},
		{"middle", "28 * 50000", 50_000},
		{"a line further", "28 * 50001", 50_001},
		{"top", "0", 0},
	} {
		b.run(`document.querySelector('.scroller').scrollTop = ` + test.top)
		index := test.first + 2
		if test.first < 0 {
			index = flows + 1
		}
		line := fmt.Sprintf(`document.querySelector('.rows [aria-rowindex="%d"]')`, index)
		b.wait(line + `?.innerText.includes('B-')`)
		want := fmt.Sprintf("B-%d", 1000+flows+1-index)
		if got := eval[string](b, line+`.querySelector('b').innerText`); got != want {
			t.Errorf("%s: line %d is %s, want %s", test.name, index, got, want)
		}
		if n := eval[int](b, `document.querySelectorAll('.rows .r').length`); n < 25 || n > 50 {
			t.Errorf("%s: the page holds %d lines", test.name, n)
		}
	}
	if got := eval[string](b, `document.querySelector('[role=treegrid]').ariaRowCount`); got != "100001" {
		t.Errorf("aria-rowcount is %s", got)
	}
	b.press(kb.End)
	b.wait(selected + `?.ariaRowIndex === '100001'`)
	if !eval[bool](b, `document.activeElement === `+selected) {
		t.Error("End does not take the focus to the last line")
	}
}

// TestDeepLinks opens rows that are far from the top, with flows folded and with all flows open.
func TestDeepLinks(t *testing.T) {
	d := startDeck(t, 6_000)
	for _, path := range []string{"/?row=50006", "/?row=50006&open=all", "/?row=g5000",
		"/?row=50006&q=served%3Amiss", "/?row=50006&open=g5999,g5500,g5001"} {
		b := openTab(t, d, path, 1440, 900)
		b.wait(selected + `?.innerText.includes('` + map[bool]string{true: "B-6000", false: "refund.do"}[path == "/?row=g5000"] + `')`)
		if !eval[bool](b, selected+`.getBoundingClientRect().top < 800`) {
			t.Errorf("%s: the line is not in sight", path)
		}
	}
}

// TestFilter types filters that can be applied, and some that cannot.
func TestFilter(t *testing.T) {
	d := startDeck(t, 40)
	b := openTab(t, d, "/", 1440, 900)
	total := func(n int) string {
		return fmt.Sprintf(`document.querySelector('[role=treegrid]')?.ariaRowCount === '%d'`, n+1)
	}
	b.wait(total(40))
	b.press("/", "served:")
	b.wait(`document.querySelector('#reads').innerText.includes('wants a value')`)
	b.wait(total(40)) // what cannot be applied is not
	b.press(kb.ArrowDown, kb.ArrowDown)
	b.wait(`document.querySelector('#' + document.activeElement.getAttribute('aria-activedescendant'))` +
		`.innerText.includes('served:miss')`)
	b.press(kb.Enter)
	b.wait(`document.querySelector('#filter').value === 'served:miss '`)
	b.wait(total(10))
	b.press("junk:")
	b.wait(`document.querySelector('.filter.wrong') && document.querySelector('#filter').ariaInvalid === 'true'`)
	b.wait(total(10)) // the last valid filter stays
	b.press(kb.Escape, kb.Escape)
	b.wait(`document.querySelector('#filter').value === 'served:miss'`)
	b.wait(`document.querySelector('.chip.miss').ariaPressed === 'true'`)
	if at := eval[string](b, `location.search`); at != "?q=served%3Amiss" {
		t.Errorf("the address is %s", at)
	}
	b.run(`document.querySelector('.chip.bad').click()`)
	b.wait(total(10) + ` && location.search === '?q=outcome%3Adeclined'`)
	b.run(`history.back()`)
	b.wait(`document.querySelector('#filter').value === 'served:miss'`)
	b.do("reloading", chromedp.Reload())
	b.wait(`document.querySelector('#filter')?.value === 'served:miss' && ` + total(10))
}

// TestFilterInAHurry takes a word and applies the filter before the server has said what may follow.
func TestFilterInAHurry(t *testing.T) {
	b := openTab(t, startDeck(t, 40), "/", 1440, 900)
	b.wait(firstRow)
	b.press("/", "served:")
	b.wait(`document.querySelectorAll('#words [role=option]').length === 2`)
	b.run(`const field = document.querySelector('#filter');
		for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'Enter'])
			field.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}))`)
	b.wait(`location.search === '?q=served%3Amiss' && document.activeElement.id !== 'filter'`)
}

// TestFilterKeepsNoCard types the number of a card, which must reach neither an address nor the
// server.
func TestFilterKeepsNoCard(t *testing.T) {
	number := "400000" + "000000" + "111"
	number += checkDigit(number)
	d := startDeck(t, 4)
	b := openTab(t, d, "/", 1440, 900)
	b.wait(firstRow)
	b.press("/")
	b.run(`document.querySelector('#filter').value = 'order:` + number + `'`)
	b.press(kb.Enter)
	b.wait(`document.querySelector('#filter').value.includes('*')`)
	b.wait(`location.search.includes('*')`)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, asked := range d.asked {
		if strings.Contains(asked, number) {
			t.Error("the number reached the server")
		}
	}
}

// checkDigit returns the last digit of a number after Luhn.
func checkDigit(digits string) string {
	sum := 0
	for i, c := range digits {
		n := int(c-'0') * (1 + (len(digits)-i)%2)
		sum += n/10 + n%10
	}
	return fmt.Sprint((10 - sum%10) % 10)
}

// TestKeyboardOnly goes through the list without a pointer.
func TestKeyboardOnly(t *testing.T) {
	d := startDeck(t, 40) // g36 has a miss, g38 is declined
	b := openTab(t, d, "/", 1440, 900)
	b.wait(firstRow)
	label := func(text string) string {
		return selected + `?.innerText.includes('` + text + `') && document.activeElement === ` + selected
	}
	b.press("j")
	b.wait(label("B-1039"))
	b.press("j", "j", "k")
	b.wait(label("B-1038"))
	b.press(kb.ArrowRight)
	b.wait(selected + `.ariaExpanded === 'true'`)
	b.press(kb.ArrowRight)
	b.wait(label("register.do"))
	if level := eval[string](b, selected+`.ariaLevel`); level != "2" {
		t.Errorf("a row has the level %s", level)
	}
	b.press("J")
	b.wait(label("B-1037"))
	b.press("K")
	b.wait(label("B-1038"))
	b.press("j", kb.ArrowLeft)
	b.wait(label("B-1038"))
	b.press(kb.ArrowLeft)
	b.wait(selected + `.ariaExpanded === 'false'`)
	b.press("m")
	b.wait(label("refund.do"))
	b.wait(`document.querySelector('.peek').innerText.includes('What would mend it')`)
	b.wait(`location.search.includes('row=366')`)
	b.press("m")
	b.wait(`location.search.includes('row=326')`)
	b.press("c")
	b.wait(`document.querySelector('.r.marked')`)
	b.press(".")
	b.wait(`!document.querySelector('.peek').checkVisibility()`)
	b.press(".", "?")
	b.wait(`document.querySelector('dialog[open]').innerText.includes('next miss')`)
	b.press(kb.Escape)
	b.wait(`!document.querySelector('dialog')`)
	b.press("p")
	b.wait(`document.querySelector('.status').innerText.includes('paused')`)
	b.press("*")
	b.wait(`document.querySelectorAll('.rows [aria-level="2"]').length > 10`)
	if at := eval[int](b, `document.querySelectorAll('.rows [tabindex="0"]').length`); at > 1 {
		t.Errorf("%d lines can be reached with Tab", at)
	}
}

// TestSingleLettersCanBeSwitchedOff, and rest in fields in any case.
func TestSingleLettersCanBeSwitchedOff(t *testing.T) {
	d := startDeck(t, 8)
	b := openTab(t, d, "/", 1440, 900)
	b.wait(firstRow)
	b.press("?")
	b.wait(`document.querySelector('dialog [role=switch]')`)
	b.run(`document.querySelector('dialog [role=switch]').click()`)
	b.press(kb.Escape)
	b.wait(`!document.querySelector('dialog')`)
	b.press("j", "?")
	b.press(kb.ArrowDown)
	b.wait(selected + `?.innerText.includes('B-1007')`) // one line down, not two
	if eval[bool](b, `Boolean(document.querySelector('dialog'))`) {
		t.Error("? is still a key")
	}
}

// TestLive watches flows arrive, holds the list while it is read, and lets the deck end.
func TestLive(t *testing.T) {
	d := startDeck(t, 40)
	b := openTab(t, d, "/", 1440, 900)
	b.wait(firstRow + `?.innerText.includes('B-1039')`)
	d.add(1) // B-1040 has a miss
	b.wait(firstRow + `?.innerText.includes('B-1040')`)
	b.wait(`document.querySelector('#say').innerText.includes('New miss: 406 refund')`)
	b.press("j", "j")
	b.wait(selected + `?.innerText.includes('B-1039')`)
	d.add(2)
	b.wait(`document.querySelector('.newer').innerText.includes('2 new')`)
	b.wait(selected + `?.innerText.includes('B-1039') && ` + selected + `.ariaRowIndex === '3'`)
	b.picture("held")
	b.press("f")
	b.wait(firstRow + `?.innerText.includes('B-1042') && document.querySelector('.newer').hidden`)
	d.CloseClientConnections()
	d.add(1)
	b.wait(firstRow + `?.innerText.includes('B-1043')`) // the page connects again
	before := d.count("/api/exchanges?")
	for range 400 {
		d.add(1)
	}
	b.wait(firstRow + `?.innerText.includes('B-1443')`)
	if n := d.count("/api/exchanges?") - before; n > 20 {
		t.Errorf("400 flows in a rush made the page ask %d times", n)
	}
	d.end()
	b.wait(`document.querySelector('.status').innerText.includes('the deck has stopped')`)
	b.picture("stopped")
}

// TestHostileStrings puts into every text of the traffic what must stay text.
func TestHostileStrings(t *testing.T) {
	for name, text := range map[string]string{
		"markup": `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`,
		"entity": `&lt;b&gt; " ' onmouseover=alert(1) javascript:alert(1) </span></div>`,
		"bidi":   "\u202egnp.exe \u2066\u200f\u0000\u001b[31m \u2028",
		"long":   strings.Repeat("W", 64<<10),
	} {
		t.Run(name, func(t *testing.T) {
			d := startDeck(t, 1) // a flow with a miss
			d.hostile = text
			if name == "markup" {
				d.huge = strings.Repeat(text, 2<<20/len(text))
			}
			b := openTab(t, d, "/?open=g0&row=6", 1440, 900)
			b.wait(`document.querySelectorAll('.rows .r').length === 7`)
			b.wait(`document.querySelector('.peek').innerText.includes('What would mend it')`)
			b.picture("list")
			for _, bad := range []string{
				`document.querySelector('.rows img, .peek img, .rows script, .peek script')`,
				`document.title.includes('taken')`,
				`document.documentElement.scrollWidth > 1440`,
				`[...document.querySelectorAll('.rows .r')].some(r => r.clientHeight > 28)`,
				`/[\u202e\u2066\u200f\u0000\u001b]/.test(document.body.innerText)`,
				`document.body.innerText.length > 100000`,
			} {
				if eval[bool](b, "Boolean("+bad+")") {
					t.Errorf("true: %s", bad)
				}
			}
		})
	}
}

// TestPhone looks at the list at 390 px.
func TestPhone(t *testing.T) {
	d := startDeck(t, 40)
	b := openTab(t, d, "/?open=g36,g38", 390, 844)
	b.wait(firstRow)
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		b.picture(theme)
	}
	if width := eval[int](b, `document.documentElement.scrollWidth`); width > 390 {
		t.Errorf("the page is %d px wide", width)
	}
	if height := eval[int](b, firstRow+`.getBoundingClientRect().height`); height != 52 {
		t.Errorf("a row is %d px high", height)
	}
	out := eval[string](b, `[...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && `+
		`!e.closest('nav, .chips, .vh, .skip, svg') && e.getBoundingClientRect().right > 391).`+
		`map(e => e.className).join()`)
	if out != "" {
		t.Errorf("these stick out: %s", out)
	}
}

// TestTheme takes another theme than that of the system, which the browser remembers.
func TestTheme(t *testing.T) {
	d := startDeck(t, 4)
	b := openTab(t, d, "/", 1440, 900)
	b.theme("light")
	b.wait(firstRow)
	press := `[...document.querySelectorAll('.top button')].at(-1).click()`
	ground := `getComputedStyle(document.body).backgroundColor`
	light := eval[string](b, ground)
	b.run(press)
	b.run(press)
	b.wait(`document.documentElement.dataset.theme === 'dark'`)
	dark := eval[string](b, ground)
	if light == dark {
		t.Errorf("both grounds are %s", light)
	}
	b.do("reloading", chromedp.Reload())
	b.wait(firstRow)
	if got := eval[string](b, ground); got != dark {
		t.Errorf("after a reload the ground is %s", got)
	}
}

// TestToken opens the page without a token, with a wrong one and with the right one.
func TestToken(t *testing.T) {
	d := startDeck(t, 4)
	b := openTab(t, d, "/", 1440, 900)
	b.wait(firstRow)
	if at := eval[string](b, `location.href`); strings.Contains(at, testToken) {
		t.Errorf("the token is still in the address %s", at)
	}
	b.run(`sessionStorage.clear(); localStorage.clear()`)
	b.do("reloading", chromedp.Reload())
	b.wait(`document.activeElement?.id === 'token'`)
	b.picture("asks")
	b.press("wrong", kb.Enter)
	b.wait(`document.querySelector('p.problem')?.innerText.includes('not of this deck')`)
	b.press("http://127.0.0.1:1/"+testToken+"/", kb.Enter)
	b.wait(firstRow)
	// A call with the old token may be refused when the new one was given already.
	b.run(`import(document.querySelector('script[type=module]').src.replace('app.js', 'token.js')).then((m) => {
		m.keepToken('new');
		m.forgetToken('old');
		window.kept = m.token();
		m.forgetToken('new');
		window.forgotten = m.token() === '';
	})`)
	b.wait(`window.forgotten`)
	if kept := eval[string](b, `window.kept`); kept != "new" {
		t.Errorf("behind a refusal of the old token the new one is %q", kept)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, asked := range d.asked {
		if strings.Contains(asked, testToken) {
			t.Errorf("the token is in the address of a call: %s", asked)
		}
	}
}
