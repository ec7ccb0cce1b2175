package traffic

// markWords say the marks of match.Marks.
var markWords = map[string]string{
	"ambiguous":        "several recordings fit, and nothing tells which is meant",
	"composed":         "a list that was put together",
	"assumed=card":     "this card is not on tape: answered as the most similar one",
	"assumed=family":   "what belongs to it is in another state than on tape",
	"assumed=name":     "named by a field by which no recording of this call names it",
	"assumed=login":    "the tape does not have this login",
	"assumed=miss":     "a write to it was a miss before",
	"assumed=relation": "it depends on something to which nothing on tape leads",
	"assumed=overlap":  "recorded while a write was under way",
	"assumed=gap":      "a call is missing on tape before it",
	"assumed=edge":     "recordings disagree about a change that no write explains",
	"assumed=secret":   "the value of a secret decides, and no tape has it",
	"assumed=order":    "it follows from an ambiguous answer",
	"assumed=number":   "it shows a number once more that may be of one thing",
	"assumed=retry":    "the write was sent again, and the tape has no second answer",
}
