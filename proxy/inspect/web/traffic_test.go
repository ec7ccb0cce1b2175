package web_test

import (
	"testing"
)

func TestTrafficLooks(t *testing.T) {
	d := startDeck(t, 60)
	b := openTab(t, d, "/?open=g56,g58&row=561", 1440, 900)
	b.wait(selected)
	b.wait(`document.querySelector('.peek .kv')`)
	b.picture("light")
	b.theme("dark")
	b.picture("dark")
}
