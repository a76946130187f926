-- dialect: bigquery
-- What the shop's checkout writes, one row an order.
CREATE TABLE shop.orders_raw (
  order_id  INT64 NOT NULL,
  placed_at TIMESTAMP,
  customer  STRUCT<
    name    STRING,
    phone   STRING,
    address STRUCT<street STRING, city STRING, country STRING>
  >,
  items     ARRAY<STRUCT<sku STRING, qty INT64, unit_price NUMERIC>>
);

CREATE TABLE shop.products (
  sku      STRING NOT NULL,
  title    STRING,
  category STRUCT<id INT64, label STRING>
);

-- Filled by send_parcels.sql.
CREATE TABLE shop.parcels (
  order_id INT64,
  receiver STRUCT<name STRING, city STRING>
);
