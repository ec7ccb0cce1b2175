// Package drift grades what differs between two answers to one question, and between two tapes.
//
// Two recordings of one suite never have the same bytes: each has ids, numbers and times of its own.
// So a value that is a variable is folded to its noun before it is compared. A shop asked for the
// status of its order in spring, and asks again in autumn:
//
//	spring  {"orderId":"0190-aa","orderStatus":2,"date":1795341707828,"amount":12500}
//	autumn  {"orderId":"0195-c4","orderStatus":"2","date":1811053307001,"fee":0}
//
//	folded  orderId <order>    orderStatus 2     date <date>   amount 12500
//	        orderId <order>    orderStatus "2"   date <date>   fee 0
//
//	graded  orderStatus  changed type  2 -> "2"
//	        amount       removed       12500
//	        fee          added         0
//
// What is a variable, package tape says: the holes of its templates are folded (value.go). The leaves
// of a message are put together to a tree (node.go), so that an object which is new is one finding and
// not as many as it has members, and two trees are walked at once (compare.go, list.go). A variable
// must still look as the variables on the old tape do: a sandbox that makes ids of another length, or
// writes dates in another form, has changed although each value is new anyway (shape.go). Of a code (an
// errorCode, a status) it counts whether the old tape has it anywhere for that operation (code.go).
//
// Folding forgets whose a value is. An answer about 0190-aa that showed 0190-aa must show 0195-c4 if that
// is what stands for 0190-aa in the rest of the flow, and not the id of another order. All places vote
// for which id stands for which, and a place that is outvoted is a finding (mapping.go).
//
// Two tapes are compared flow by flow. Flows are paired by what was said in them, whatever their ids
// are and in whichever order they stand; the exchanges of two flows are paired in their order
// (pair.go, report.go). Text writes a tape as text in which nothing is left but what is compared
// (text.go).
//
// Limits: of a list that a whole account fills (Comparison.Growing) the first 64 items are looked at.
// Items of a list in another order are one finding, and what differs inside such items is not told. An
// answer that fails where the other does not is told by its code alone: all its fields belong to
// another kind of answer. Headers of an answer are compared if they say what the body is and where it
// leads, or hold a variable. Whose mask of a card an answer shows is not looked at. The parts of a name/value list are known by their names and have no
// order. A literal that cleaning has taken out is no difference. Of an API that no profile knows a
// value is no difference if it looks generated, or if the tapes show that it is made anew for each answer
// or each flow, or counts flows (alike.go, spread.go): a constant that has changed in such a place is not
// found. A tape of one flow shows nothing of that.
package drift
