// The text editor, loaded when it is first wanted: CodeMirror with Python's grammar (Starlark is a
// subset of its look), in the page's colours.

import {
  Decoration, EditorState, EditorView, HighlightStyle, StateEffect, StateField, WidgetType,
  bracketMatching, defaultKeymap, drawSelection, history, historyKeymap, indentOnInput, indentUnit,
  indentWithTab, keymap, lineNumbers, pythonLanguage, syntaxHighlighting, tags,
} from "./vendor/codemirror/codemirror.js";
import { MONO } from "./theme.js";

/**
 * @typedef {object} Handle
 * @property {() => string} text
 * @property {(text: string) => void} setText replaces all; undo brings the old text back
 * @property {(n: number) => void} line lights the line that runs; 0 lights none
 * @property {(line: number, message: string) => void} error shows a problem under its line; an
 *   empty message takes it away, line 0 is shown under the last line
 * @property {() => void} focus
 * @property {() => void} destroy
 */

const setLine = StateEffect.define();
const setError = StateEffect.define();

/**
 * @param {HTMLElement} parent
 * @param {string} text
 * @param {{firstLine?: number, language?: string, readOnly?: boolean, label?: string,
 *   onChange?: (text: string) => void}} options firstLine is the number of the first line
 * @returns {Handle}
 */
export function open(parent, text, options = {}) {
  const { firstLine = 1, readOnly = false, label = "Program", onChange } = options;
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      lineNumbers({ formatNumber: (n) => String(n + firstLine - 1) }),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      EditorState.readOnly.of(readOnly),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
      // Ctrl+Enter runs the lesson, which is the page's. Escape, then Tab leaves the editor.
      keymap.of([...withoutRunKey(defaultKeymap), ...historyKeymap, indentWithTab]),
      ...language(options.language ?? "starlark"),
      lines,
      look,
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange?.(update.state.doc.toString());
      }),
    ],
  });
  return handleOf(view, firstLine);
}

function handleOf(view, firstLine) {
  const show = (effects) => view.dispatch({ effects });
  return {
    text: () => view.state.doc.toString(),
    setText(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    line(n) {
      show(setLine.of(n > 0 ? n - firstLine + 1 : 0));
    },
    error(line, message) {
      const at = line > 0 ? line - firstLine + 1 : view.state.doc.lines;
      show(setError.of(message ? { line: at, message } : undefined));
      if (message) view.dispatch({ effects: scrollTo(view, at) });
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function scrollTo(view, line) {
  return EditorView.scrollIntoView(startOf(view.state.doc, line), { y: "nearest", yMargin: 40 });
}

function startOf(doc, line) {
  return doc.line(Math.min(Math.max(line, 1), doc.lines)).from;
}

function language(name) {
  return name === "starlark" || name === "python" ? [pythonLanguage] : [];
}

function withoutRunKey(bindings) {
  return bindings.filter(({ key }) => key !== "Mod-Enter");
}

/** Remembers which line runs and which has a problem; both move with the text. */
const lines = StateField.define({
  create: () => ({ line: 0, error: undefined, set: Decoration.none }),
  update(value, transaction) {
    let { line, error } = value;
    let changed = false;
    for (const effect of transaction.effects) {
      if (effect.is(setLine)) line = effect.value;
      else if (effect.is(setError)) error = effect.value;
      else continue;
      changed = true;
    }
    if (changed) return { line, error, set: decorate(transaction.state.doc, line, error) };
    if (!transaction.docChanged) return value;
    return { ...value, set: value.set.map(transaction.changes) };
  },
  provide: (field) => EditorView.decorations.from(field, ({ set }) => set),
});

function decorate(doc, line, error) {
  const ranges = [];
  if (line > 0 && line <= doc.lines) {
    ranges.push(Decoration.line({ class: "cm-runs" }).range(startOf(doc, line)));
  }
  if (error) {
    const at = doc.lineAt(startOf(doc, error.line));
    ranges.push(Decoration.line({ class: "cm-wrong" }).range(at.from));
    const widget = new Message(error.message);
    ranges.push(Decoration.widget({ widget, side: 1, block: true }).range(at.to));
  }
  return Decoration.set(ranges, true);
}

class Message extends WidgetType {
  constructor(text) {
    super();
    this.text = text;
  }

  eq(other) {
    return other.text === this.text;
  }

  toDOM() {
    const element = document.createElement("div");
    element.className = "cm-message";
    element.setAttribute("role", "alert");
    element.textContent = this.text;
    return element;
  }

  ignoreEvent() {
    return true; // its text can be selected and copied
  }
}

const tint = (name, percent) => `color-mix(in srgb, var(--${name}) ${percent}%, transparent)`;

const look = [
  EditorView.theme({
    "&": { height: "100%", color: "var(--ink)", backgroundColor: "transparent", fontSize: "12px" },
    "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
    ".cm-scroller": { fontFamily: MONO, lineHeight: "1.55", overflow: "auto" },
    ".cm-content": { padding: "6px 0", caretColor: "var(--ink)" },
    ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
    ".cm-line": { padding: "0 14px 0 8px" },
    ".cm-gutters": { backgroundColor: "transparent", color: "var(--dim)", border: "none" },
    ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 14px", minWidth: "34px" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
      backgroundColor: tint("accent", 32),
    },
    ".cm-selectionBackground": { backgroundColor: tint("accent", 20) },
    "&.cm-focused .cm-matchingBracket": {
      backgroundColor: tint("accent", 25), outline: "1px solid var(--accent)",
    },
    ".cm-runs": {
      backgroundColor: tint("accent", 20), boxShadow: "inset 3px 0 var(--accent)",
    },
    ".cm-wrong": { backgroundColor: tint("bad", 16), boxShadow: "inset 3px 0 var(--bad)" },
    ".cm-message": {
      margin: "2px 14px 4px 8px", padding: "4px 10px", borderLeft: "3px solid var(--bad)",
      backgroundColor: tint("bad", 10), color: "var(--ink)", whiteSpace: "pre-wrap",
      fontFamily: "inherit",
    },
  }),
  syntaxHighlighting(HighlightStyle.define([
    { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword],
      color: "var(--syntax-key, var(--c3))" },
    { tag: [tags.string, tags.special(tags.string)], color: "var(--syntax-text, var(--ok))" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--syntax-number, var(--warn))" },
    { tag: [tags.function(tags.variableName), tags.definition(tags.function(tags.variableName))],
      color: "var(--syntax-name, var(--accent))" },
    { tag: tags.comment, color: "var(--dim)", fontStyle: "italic" },
  ])),
];
