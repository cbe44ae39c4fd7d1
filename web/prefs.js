// What the reader prefers and has done, kept in this browser. A framed page may have no storage,
// and storage may be full: then it is kept as long as the page lives.

const PREFIX = "rebalance-lab.";
const memory = new Map();

export const prefs = {
  /**
   * @param {string} key
   * @returns {string} empty when there is none
   */
  get(key) {
    try {
      const kept = localStorage.getItem(PREFIX + key);
      if (kept !== null) return kept;
    } catch {
      // no storage here: what this page remembers is all there is
    }
    return memory.get(key) ?? "";
  },

  /**
   * @param {string} key
   * @param {string} value empty to forget it
   */
  set(key, value) {
    memory.set(key, value);
    try {
      if (value === "") localStorage.removeItem(PREFIX + key);
      else localStorage.setItem(PREFIX + key, value);
    } catch {
      // kept in memory
    }
  },
};
