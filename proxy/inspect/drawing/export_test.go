package drawing

// Place sets the columns and rows of a machine that was made by hand.
var Place = place
