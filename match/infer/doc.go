// Package infer guesses what values and calls are of an API that no profile knows. Every guess of
// replay is here, each with its evidence.
//
// The evidence is one look at a whole cassette, before anything is compiled: which texts travel
// from an answer to a later request, which writes show one first, what a client sends again. A
// checkout shows how: "POST /payments" is answered with {"id":"pay_8f3k20dj"}, and later
// "GET /payments/pay_8f3k20dj" is asked. The text was never sent before it was shown, looks made
// by a machine and comes back: it is an id that the sandbox made, born in the first answer.
//
// What is guessed: ids that the sandbox made (Born), and those that nobody sends back (Unsent); numbers that
// each answer has anew in a header (NumbersAnswer); references that a client made up (Chosen) and values
// that it makes anew for each request (Nonce); words that say no more than that an answer is of one
// thing (Volatile); calls that only ask (Asks). One function tells whether a text looks generated
// (LooksGenerated), and tables hold the words that names are read by.
//
// To be wrong has a bounded price: a value that is taken for a constant is compared, and may be a
// miss; one that is taken for an id is fresh in every run.
package infer
