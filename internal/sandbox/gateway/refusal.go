package gateway

import (
	"errors"
	"strconv"
)

// text is a sentence in the two languages of the gateway.
type text struct{ ru, en string }

// in picks a language; Russian is the default (the documents name none).
func (t text) in(language string) string {
	if language == "en" {
		return t.en
	}
	return t.ru
}

// refusal is an error that the gateway reports to the client: an errorCode and its
// errorMessage, which follows the request's language (domain facts, On the wire).
type refusal struct {
	code  int // errorCode (domain facts, Codes)
	text  text
	param string // the parameter it is about; empty if none
}

// Error says the English text.
func (r refusal) Error() string {
	return r.message("en")
}

func (r refusal) message(language string) string {
	if r.param == "" {
		return r.text.in(language)
	}
	return r.text.in(language) + ": " + r.param
}

// about names the parameter at fault, never its value.
func (r refusal) about(param string) refusal {
	r.param = param
	return r
}

// The errorCodes are those of the domain facts (Codes); the words are ours, since clients
// must not match them (document 3, Errors, 1).
var (
	errNumberUsed = refusal{code: 1,
		text: text{"Заказ с таким номером уже обработан", "The order number was already processed"}}
	errCardData = refusal{code: 1,
		text: text{"Неверный номер карты или срок действия", "Wrong card number or expiry"}}
	errNoOrderID = refusal{code: 1,
		text: text{"Не указан orderId или orderNumber", "Neither orderId nor orderNumber is given"}}
	errNoBinding = refusal{code: 2,
		text: text{"Связка не найдена", "No binding was found"}}
	errBindingState = refusal{code: 2,
		text: text{"Связка уже в этом состоянии", "The binding is in that state already"}}
	errCurrency = refusal{code: 3,
		text: text{"Неизвестная валюта", "Unknown currency"}}
	errMissing = refusal{code: 4,
		text: text{"Не указан обязательный параметр", "A mandatory parameter is missing"}}
	errDenied = refusal{code: 5,
		text: text{"Доступ запрещён", "Access denied"}}
	errValue = refusal{code: 5,
		text: text{"Неверное значение параметра", "Wrong value of a parameter"}}
	errState = refusal{code: 5,
		text: text{"Неверное состояние заказа", "The order is in the wrong state"}}
	errBindingKind = refusal{code: 5,
		text: text{"Связка другого типа", "The binding is of another type"}}
	errOneStage = refusal{code: 5,
		text: text{"Только одностадийные платежи", "One-stage payments only"}}
	errNoOrder = refusal{code: 6,
		text: text{"Незарегистрированный orderId", "Unregistered orderId"}}
	errPaymentState = refusal{code: 7,
		text: text{"Платёж не в том состоянии", "The payment is in the wrong state"}}
	errSystem = refusal{code: 7,
		text: text{"Системная ошибка", "System error"}}
	errFeatures = refusal{code: 14,
		text: text{"Неверное значение features", "Wrong value of features"}}
)

// textSuccess is errorMessage beside errorCode 0 (document 3, Errors, 1).
var textSuccess = text{"Успешно", "Successful"}

// failure is the answer of an operation that refused.
type failure struct {
	ErrorCode    any    `json:"errorCode"` // string or number, see operation
	ErrorMessage string `json:"errorMessage"`
}

// refusalOf finds the refusal in an error. One of the plain kind is about the body as a whole:
// oversized or malformed.
func refusalOf(err error) refusal {
	r := errSystem
	errors.As(err, &r)
	return r
}

// failure renders an error in the names and types of the operation, or as a page.
func (op operation) failure(err error, language string) any {
	r := refusalOf(err)
	code, message := strconv.Itoa(r.code), r.message(language)
	f := failure{ErrorCode: code, ErrorMessage: message}
	if op.numericCode {
		f.ErrorCode = r.code
	}
	switch {
	case op.browser:
		return newPage(language, "message").saying(r.text)
	case op.oldNames:
		return oldFailure{ErrorCode: code, ErrorMessage: message}
	case op.refused != nil:
		return op.refused(f)
	}
	return f
}
