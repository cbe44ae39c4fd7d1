export { EditorState, Compartment, StateField, StateEffect, RangeSet } from "@codemirror/state";
export { EditorView, Decoration, WidgetType, keymap, lineNumbers, drawSelection, highlightActiveLine, highlightActiveLineGutter, gutterLineClass, GutterMarker } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { HighlightStyle, syntaxHighlighting, indentUnit, bracketMatching, indentOnInput } from "@codemirror/language";
export { pythonLanguage } from "@codemirror/lang-python";
export { tags } from "@lezer/highlight";
