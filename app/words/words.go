package words

// catalogs maps English texts to those of a language.
var catalogs = map[string]map[string]string{
	"en": {},
}

// Names are the languages as their speakers call them, in the order of the menu.
var Names = []struct{ Code, Name string }{
	{"en", "English"},
	{"ru", "\u0420\u0443\u0441\u0441\u043a\u0438\u0439"},
	{"zh", "\u4e2d\u6587"},
}

var (
	language = "en"
	current  = catalogs["en"]
)

// Use changes the language. It is false, and nothing changes, for one without a catalog.
func Use(code string) bool {
	c, ok := catalogs[code]
	if ok {
		language, current = code, c
	}
	return ok
}

// Has says whether there is a catalog of a language.
func Has(code string) bool {
	_, ok := catalogs[code]
	return ok
}

// Language is the code of the present language.
func Language() string { return language }

// T is text in the present language.
func T(text string) string {
	if t, ok := current[text]; ok {
		return t
	}
	return text
}
