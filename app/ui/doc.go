// Package ui owns what the page looks like: plain structs that say what is shown, functions that
// make them from views of the engine, and go-app components that render them.
//
// Components hold no logic and no handlers. What a control does stands in its data-act attribute as
// "verb:argument"; one listener of package page hears all of them. So a component is a function of
// its struct, and tests need no browser. The package never asks the engine and never reads the
// document.
package ui
