-- dialect: bigquery
-- A STRUCT column takes its fields by position.
INSERT INTO shop.parcels (order_id, receiver)
SELECT order_id, STRUCT(customer.name, customer.address.city)
FROM shop.orders_raw;

UPDATE shop.parcels AS p
SET p.receiver.city = l.city
FROM (SELECT order_id, ANY_VALUE(city) AS city FROM shop.order_lines GROUP BY order_id) AS l
WHERE l.order_id = p.order_id;
