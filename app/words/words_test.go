package words

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTextWithoutTranslationStaysEnglish(t *testing.T) {
	require.Equal(t, "Share", T("Share"))
}

func TestLanguageWithoutCatalogIsRefused(t *testing.T) {
	require.False(t, Use("tlh"))
	require.Equal(t, "en", Language())
	require.True(t, Use("en"))
}

func TestCatalogTranslates(t *testing.T) {
	catalogs["xx"] = map[string]string{"Share": "Partager"}
	defer func() {
		delete(catalogs, "xx")
		Use("en")
	}()
	require.True(t, Use("xx"))
	require.Equal(t, "Partager", T("Share"))
	require.Equal(t, "Help", T("Help"))
}
