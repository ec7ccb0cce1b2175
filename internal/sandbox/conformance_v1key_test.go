package sandbox_test

import (
	"crypto/des"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// openKey decrypts a key with the published master key, by crypto/des alone.
func (c *client) openKey(digits string) []byte {
	c.t.Helper()
	sealed, err := hex.DecodeString(digits)
	if err != nil {
		c.t.Fatal("the key is not hex")
	}
	master := []byte("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10")
	block, err := des.NewTripleDESCipher(slices.Concat(master, master[:8]))
	if err != nil {
		c.t.Fatal(err)
	}
	for i := 0; i < len(sealed); i += 8 {
		block.Decrypt(sealed[i:i+8], sealed[i:i+8])
	}
	return sealed
}

// zeros encrypts a block of zeros.
func (c *client) zeros(key []byte) string {
	c.t.Helper()
	if len(key) == 16 {
		key = slices.Concat(key, key[:8])
	}
	out := make([]byte, 8)
	if len(key) == 8 {
		block, err := des.NewCipher(key)
		if err != nil {
			c.t.Fatal(err)
		}
		block.Encrypt(out, out)
	} else {
		block, err := des.NewTripleDESCipher(key)
		if err != nil {
			c.t.Fatal(err)
		}
		block.Encrypt(out, out)
	}
	return strings.ToUpper(hex.EncodeToString(out))
}

const setKey = `{"terminalId":7001,"hostId":1,"keyType":"ENKTTMKA","key":%q,"newKeyPrefix":%q%s}`

var v1KeyClaims = []claim{
	{"document 1, generateKey",
		"keyLength decides the length and with it the prefix", func(c *client) {
			for length, forms := range map[string][2]string{
				"ENKL_0016": {`[0-9A-F]{16}`, `[0-9A-F]{16}`},
				"ENKL_0032": {`X[0-9A-F]{32}`, `U[0-9A-F]{32}`},
				"ENKL_0048": {`Y[0-9A-F]{48}`, `T[0-9A-F]{48}`},
			} {
				a := c.v1("generateKey", `{"hostId":1,"keyType":"ENKTTMKA","keyLength":%q}`, length)
				c.fields(a, "@this", "keyValue", "checkValue", "lmkHsmKeyValue")
				c.like(a, "keyValue", forms[0])
				c.like(a, "lmkHsmKeyValue", forms[1])
				c.like(a, "checkValue", `[0-9A-F]{6}`)
			}
		}},
	{"document 1, generateKey",
		"checkValue begins the zeros encrypted under the key", func(c *client) {
			for _, length := range []string{"ENKL_0016", "ENKL_0032", "ENKL_0048"} {
				a := c.v1("generateKey", `{"hostId":1,"keyType":"ENKTTMKA","keyLength":%q}`, length)
				key := c.openKey(strings.TrimLeft(a.get("keyValue"), "XY"))
				c.same("checkValue of "+length, a.get("checkValue"), c.zeros(key)[:6])
				b := c.v1("generateKey", `{"hostId":1,"keyType":"ENKTTMKA","keyLength":%q}`, length)
				c.differ("two keys", a.get("keyValue"), b.get("keyValue"))
			}
		}},
	{"document 1, generateKey",
		"mandatory fields are checked, the terminal must be known", func(c *client) {
			body := `{"terminalId":7001,"terminalNumber":"T0000001","merchantNumber":"M0000001",` +
				`"hostId":1,"keyType":"ENKTTMKA","keyLength":"ENKL_0032"}`
			c.code(c.v1("generateKey", "%s", body), 200)
			for more, code := range map[string]string{
				`,"hostId":null`: "30", `,"keyType":""`: "30", `,"keyLength":""`: "30",
				`,"keyLength":"ENKL_0064"`: "30", `,"hostId":"1"`: "30", `,"terminalId":"7001"`: "30",
				`,"terminalId":1`: "25", `,"terminalNumber":"T0000002"`: "25",
				`,"merchantNumber":"M0000002"`: "25", `,"merchantNumber":"M0000009"`: "25",
				`,"hostId":-1`: "25",
			} {
				c.code1(c.v1("generateKey", "%s", with(body, more)), code)
			}
		}},
	{"document 1, setKey",
		"what generateKey gave can be set, and the answer is empty", func(c *client) {
			for length, prefix := range map[string]string{
				"ENKL_0016": "U", "ENKL_0032": "U", "ENKL_0048": "T",
			} {
				a := c.v1("generateKey", `{"hostId":1,"keyType":"ENKTTMKA","keyLength":%q}`, length)
				check := fmt.Sprintf(`,"keyCheckValue":%q`, a.get("checkValue"))
				set := c.v1("setKey", setKey, a.get("keyValue"), prefix, check)
				c.code(set, 200)
				c.same("the answer", set.body, "{}")
			}
			c.is(c.control("GET", "/state"), "v1.merchants.0.terminals.0.keyTypes", `["ENKTTMKA"]`)
		}},
	{"document 1, setKey",
		"a check value that is given must agree, long or short, in any case", func(c *client) {
			digits := strings.Repeat("0123456789abcdef", 2)
			zeros := c.zeros(c.openKey(digits))
			for value, code := range map[string]int{
				zeros: 200, zeros[:4]: 200, zeros[:6]: 200, strings.ToLower(zeros[:8]): 200, "": 200,
				zeros[1:7]: 500, zeros[:2]: 500, zeros + "00": 500, "none": 500,
			} {
				check := fmt.Sprintf(`,"inputKeyPrefix":"X","keyCheckValue":%q`, value)
				c.code(c.v1("setKey", setKey, digits, "X", check), code)
			}
		}},
	{"document 1, setKey",
		"prefixes and lengths go together, key types are those of the table", func(c *client) {
			short, long := strings.Repeat("0", 32), strings.Repeat("0", 48)
			for _, row := range []struct {
				key, newPrefix, more, code string
			}{
				{short, "U", "", ""}, {short, "X", "", ""}, {long, "T", "", ""}, {long, "Y", "", ""},
				{"X" + short, "U", "", ""}, {"X" + short, "U", `,"inputKeyPrefix":"X"`, ""},
				{short, "U", `,"inputKeyPrefix":"U"`, ""}, {short, "T", "", "12"}, {long, "U", "", "12"},
				{short, "U", `,"inputKeyPrefix":"Y"`, "12"}, {"Y" + short, "U", "", "12"},
				{"X" + short, "U", `,"inputKeyPrefix":"U"`, "30"}, {short, "Z", "", "30"},
				{short, "", "", "30"}, {"", "U", "", "30"}, {short + "00", "U", "", "30"},
				{"xyz", "U", "", "30"}, {short, "U", `,"inputKeyPrefix":"Z"`, "30"},
				{short, "U", `,"keyType":"ENKTTMKP"`, ""}, {short, "U", `,"keyType":"ENKTTAK"`, ""},
				{short, "U", `,"keyType":"ENKTIKEY"`, ""}, {short, "U", `,"keyType":"OTHER"`, "30"},
				{short, "U", `,"hostId":null`, "30"}, {short, "U", `,"terminalId":1`, "25"},
			} {
				a := c.v1("setKey", setKey, row.key, row.newPrefix, row.more)
				if a.get("responseCode") != row.code {
					c.t.Errorf("%d digits, prefix %q%s: responseCode %q, want %q", len(row.key),
						row.newPrefix, row.more, a.get("responseCode"), row.code)
				}
			}
		}},
}
