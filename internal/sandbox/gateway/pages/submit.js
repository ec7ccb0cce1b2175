addEventListener("load", function () { document.forms[0].submit() })
