// Runs before the first paint, so that a page whose reader has chosen a theme never flashes in the
// other one. theme.js writes what is read here.
const chosenTheme = localStorage.getItem('paytape-theme');
if (chosenTheme) document.documentElement.dataset.theme = chosenTheme;
