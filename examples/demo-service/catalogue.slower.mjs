/** The catalogue: 200 products, 24 on a page, sorted by price. */

const products = Array.from({ length: 200 }, (_, id) => ({
  id,
  name: `Product ${(id * 7919) % 200}`,
  price: ((id * 104_729) % 10_000) / 100,
  tags: ['new', 'sale', 'green', 'small'].filter((_, bit) => (id >> bit) & 1),
}));

export function renderPage(page) {
  // The slowdown a reviewer overlooks: a defensive deep copy and a locale-aware sort on every request.
  const copy = JSON.parse(JSON.stringify(products));
  const byPrice = copy.sort((a, b) => a.price - b.price || a.name.localeCompare(b.name));
  const start = ((page - 1) * 24) % products.length;
  return JSON.stringify({ page, products: byPrice.slice(start, start + 24) });
}
