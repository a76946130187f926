-- dialect: bigquery
CREATE OR REPLACE VIEW shop.city_revenue AS
WITH priced AS (
  SELECT l.city, p.category.label AS category, l.amount
  FROM shop.order_lines AS l
  JOIN shop.products AS p ON p.sku = l.sku
)
SELECT city, category, SUM(amount) AS revenue
FROM priced
GROUP BY city, category;

-- The name goes all the way back to orders_raw.customer.name, past the STRUCT that order_lines builds.
CREATE OR REPLACE VIEW shop.best_buyers AS
SELECT buyer.name AS buyer_name, SUM(amount) AS spent
FROM shop.order_lines
GROUP BY buyer_name;
