/** The catalogue: 200 products, 24 on a page, sorted by price. */

const products = Array.from({ length: 200 }, (_, id) => ({
  id,
  name: `Product ${(id * 7919) % 200}`,
  price: ((id * 104_729) % 10_000) / 100,
  tags: ['new', 'sale', 'green', 'small'].filter((_, bit) => (id >> bit) & 1),
}));

const byPrice = [...products].sort((a, b) => a.price - b.price);

export function renderPage(page) {
  const start = ((page - 1) * 24) % products.length;
  return JSON.stringify({ page, products: byPrice.slice(start, start + 24) });
}
