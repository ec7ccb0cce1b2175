package cassettes

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// TestDrawingOfTheFormat wants the drawing above emit to be what emit writes.
func TestDrawingOfTheFormat(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "emit.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var drawing strings.Builder
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "emit" {
			continue
		}
		for line := range strings.Lines(f.Doc.Text()) {
			if text, drawn := strings.CutPrefix(line, "\t"); drawn && text != itemsStart {
				drawing.WriteString(text)
			}
		}
	}
	x := &leaf.Exchange{}
	x.Request.Body, x.Form = "amount=100", url.Values{"amount": {"100"}}
	x.URL, x.Method = "https://sandbox.example/register.do", http.MethodPost
	x.Response.Body = `{"orderId":"70906e55","errorCode":0}`
	x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
	x.Status, x.Code, x.Duration = "200 OK", http.StatusOK, 12500*time.Microsecond
	at := time.Date(2026, 3, 1, 10, 0, 0, 123456789, time.FixedZone("", 3*60*60))
	x.Meta = leaf.Meta{At: at, Profile: "gateway", Operation: "register.do", Number: 1}
	want, err := emit(x)
	if err != nil {
		t.Fatal(err)
	}
	if drawing.String() != string(want) {
		t.Errorf("the drawing is\n%s\nand emit writes\n%s", &drawing, want)
	}
}
