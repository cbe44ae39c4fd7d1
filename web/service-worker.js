// Keeps one whole build of the site for use without a network. The build tool fills in
//   VERSION   hash of everything that is shipped: a new build is a new worker
//   BUILD_ID  stands in the page, so that a page of another build is never stored with these files
//   FILES     paths relative to the site; "./" is the page
//
// An update is stored beside the running one and waits until the page sends {type: "activate"}. The
// cache of the build before stays until the next update: a tab that still runs it may yet ask for
// its lazy files. Caches of other sites on the same origin are never touched: ours begin with a
// prefix that holds the scope.

const scope = new URL(self.registration.scope);
const prefix = `rebalance-lab ${scope.href} `;
const current = prefix + VERSION;
const known = new Set(FILES.map((path) => new URL(path, scope).href));

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("message", (event) => {
  if (event.data?.type === "activate") self.skipWaiting();
});
self.addEventListener("fetch", (event) => {
  const href = siteFile(event.request);
  if (href) event.respondWith(answer(event.request, href));
});

async function install() {
  const existed = await caches.has(current);
  try {
    const cache = await caches.open(current);
    await Promise.all(FILES.map((path) => store(cache, path)));
    await announce({ type: "installed", version: VERSION });
  } catch (error) {
    if (!existed) await caches.delete(current);
    await announce({ type: "install-failed", version: VERSION, reason: error.message });
    throw error;
  }
}

// A hashed name never changes its content, so a copy from an earlier build or from the browser's
// own cache is as good as the network's. Everything else is fetched anew.
async function store(cache, path) {
  const url = new URL(path, scope).href;
  const hashed = path.startsWith("web/");
  const copy = hashed && (await stored(url));
  if (copy) return cache.put(url, copy);
  const response = await fetch(url, { cache: hashed ? "default" : "reload" });
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  if (path === "./" && !(await response.clone().text()).includes(BUILD_ID)) {
    throw new Error("the page belongs to another build; the site is being published");
  }
  return cache.put(url, response);
}

async function activate() {
  const others = (await ownCaches()).filter((name) => name !== current);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

// siteFile gives the stored address a request is for, or nothing when it is none of ours. The query
// holds the lesson, never a different file, so it is cut off.
function siteFile(request) {
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== scope.origin) return undefined;
  const href = url.origin + url.pathname;
  if (href === scope.href + "index.html") return scope.href;
  return known.has(href) || href.startsWith(scope.href + "web/") ? href : undefined;
}

async function answer(request, href) {
  return (await stored(href)) ?? fetch(request);
}

// The current build first: only its page may be answered, while hashed files may be older.
async function stored(href) {
  for (const cacheName of [current, ...(await ownCaches())]) {
    const response = await caches.match(href, { cacheName, ignoreVary: true });
    if (response) return response;
    if (!href.startsWith(scope.href + "web/")) return undefined;
  }
  return undefined;
}

async function ownCaches() {
  return (await caches.keys()).filter((name) => name.startsWith(prefix));
}

async function announce(message) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  for (const client of windows) client.postMessage(message);
}
