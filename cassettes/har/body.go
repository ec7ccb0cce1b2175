package har

import (
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// bodyOf reads a body as text or in base64.
func bodyOf(text, encoding string) (string, error) {
	switch strings.ToLower(encoding) {
	case "":
		return text, nil
	case "base64":
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return "", errors.New("its body is not valid base64")
		}
		return string(b), nil
	}
	return "", errors.New("its body has an unknown encoding")
}

// body returns what was posted. Parameters alone are made a form again, or a multipart body: the
// archive does not say how they were written.
func (p *posted) body(h http.Header) (string, error) {
	if p == nil {
		return "", nil
	}
	if p.MIMEType != "" && h.Get("Content-Type") == "" {
		h.Set("Content-Type", p.MIMEType)
	}
	if p.Text != "" || len(p.Params) == 0 {
		return bodyOf(p.Text, p.Encoding)
	}
	media, params, _ := mime.ParseMediaType(h.Get("Content-Type"))
	if strings.HasPrefix(media, "multipart/") && params["boundary"] != "" {
		return p.multipart(params["boundary"]), nil
	}
	pairs := make([]string, 0, len(p.Params))
	for _, v := range p.Params {
		// Some writers keep the escapes of the form, others undo them.
		pairs = append(pairs, formEscape(v.Name)+"="+formEscape(v.Value))
	}
	return strings.Join(pairs, "&"), nil
}

func (p *posted) multipart(boundary string) string {
	var b strings.Builder
	for _, v := range p.Params {
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q", boundary, v.Name)
		if v.FileName != "" {
			fmt.Fprintf(&b, "; filename=%q", v.FileName)
		}
		if v.ContentType != "" {
			fmt.Fprintf(&b, "\r\nContent-Type: %s", v.ContentType)
		}
		fmt.Fprintf(&b, "\r\n\r\n%s\r\n", v.Value)
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return b.String()
}

// formEscape escapes what is not escaped already.
func formEscape(s string) string {
	plain, err := url.QueryUnescape(s)
	if err == nil && plain != s && url.QueryEscape(plain) == s {
		return s
	}
	return url.QueryEscape(s)
}

// takeCoding takes the content coding out of a header whose body the archive has decoded, as it
// mostly has, and returns it. A body that still is in its coding keeps the header.
func takeCoding(h http.Header, body string) string {
	names := strings.Join(h.Values("Content-Encoding"), ", ")
	if names == "" {
		return ""
	}
	const limit = 16 << 20
	if _, err := leaf.Decode(names, []byte(body), limit); err == nil && body != "" {
		return ""
	}
	h.Del("Content-Encoding")
	if strings.EqualFold(names, "identity") {
		return ""
	}
	return names
}
