package mint

import "strings"

const digits = "0123456789"

// luhnDigit is the check digit that completes a card number.
func luhnDigit(body string) byte {
	sum := 0
	for i := range len(body) {
		d := int(body[len(body)-1-i] - '0')
		if i%2 == 0 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return byte('0' + (10-sum%10)%10)
}

// IsCardNumber tells whether s has 13 to 19 digits and a right check digit.
func IsCardNumber(s string) bool {
	return len(s) >= 13 && len(s) <= 19 && strings.Trim(s, digits) == "" &&
		s[len(s)-1] == luhnDigit(s[:len(s)-1])
}

// PaymentSystem names the network by the first digits of the number.
func PaymentSystem(number string) string {
	switch {
	case number[0] == '4':
		return "VISA"
	case strings.HasPrefix(number, "220"):
		return "MIR"
	case number[0] == '5' || number[0] == '2':
		return "MASTERCARD"
	}
	return "OTHER"
}

// Mask shows the first six and last four digits with the given number of stars between.
func Mask(number string, stars int) string {
	return number[:6] + strings.Repeat("*", stars) + number[len(number)-4:]
}

// CardMask is the Mask that keeps the length of the number.
func CardMask(number string) string {
	return Mask(number, len(number)-10)
}

// HideCards masks every run of digits that is as long as a card number: clients choose some
// of the names that the state shows, and may choose a card number.
func HideCards(s string) string {
	var out strings.Builder
	for len(s) > 0 {
		length := len(s) - len(strings.TrimLeft(s, digits))
		if length == 0 {
			other := strings.IndexAny(s, digits)
			if other < 0 {
				other = len(s)
			}
			out.WriteString(s[:other])
			s = s[other:]
			continue
		}
		run := s[:length]
		if length >= 13 && length <= 19 {
			run = CardMask(run)
		}
		out.WriteString(run)
		s = s[length:]
	}
	return out.String()
}
