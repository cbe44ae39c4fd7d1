// Finds the site's files and starts its WebAssembly programs. The page uses it for app.wasm, the
// Worker for engine.wasm, so that both show true progress and fail with the same clear sentences.

// siteURL turns a path relative to the site ("web/engine.HASH.wasm") into an absolute URL. Bundles
// stand in web/, one level below the page; a Worker's own base is not the page, so paths cannot be
// used as they are.
export function siteURL(path) {
  return new URL("../" + path, import.meta.url).href;
}

// loadWasm fetches, compiles and instantiates the file at path. options.name is what error texts
// call it, options.size its raw size in bytes, options.onProgress(loaded, size) hears of each
// chunk. It resolves to {module, instance} and rejects with a sentence a reader can act on.
export async function loadWasm(path, imports, { name, size = 0, onProgress = () => {} }) {
  const response = await fetchFile(siteURL(path), name);
  // The copy counts bytes after decompression, which is what the raw size can be compared with. The
  // response itself goes to the compiler untouched: engines cache compiled code by its URL.
  count(response.clone(), (loaded) => onProgress(Math.min(loaded, size || loaded), size));
  const type = response.headers.get("Content-Type") ?? "";
  if (WebAssembly.instantiateStreaming && type.startsWith("application/wasm")) {
    return WebAssembly.instantiateStreaming(response, imports);
  }
  // Some hosts (learning platforms among them) serve .wasm under another type: compile from memory.
  const bytes = await response.arrayBuffer();
  if (!isWasm(bytes)) {
    const found = type || "no type";
    throw new Error(`${name} is not a WebAssembly file: the server answered with ${found}.`);
  }
  return WebAssembly.instantiate(bytes, imports);
}

async function fetchFile(url, name) {
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new Error(
      `${name} could not be fetched from ${url} (${error.message}). Check the connection.`);
  }
  if (response.status === 404) {
    throw new Error(
      `${name} is missing from this site (404 at ${url}). Publish the whole built folder.`);
  }
  if (!response.ok) {
    throw new Error(
      `${name} could not be fetched: the server answered ${response.status} at ${url}.`);
  }
  return response;
}

// count never fails: a broken download is reported by whoever reads the response itself.
async function count(copy, report) {
  try {
    const reader = copy.body.getReader();
    let loaded = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      loaded += value.byteLength;
      report(loaded);
    }
  } catch {
    return;
  }
}

function isWasm(bytes) {
  const magic = new Uint8Array(bytes.slice(0, 4));
  return [0x00, 0x61, 0x73, 0x6d].every((value, i) => magic[i] === value);
}
