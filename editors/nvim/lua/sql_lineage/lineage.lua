--- Asks the server for lineage: the tree of a call hierarchy, grown to a depth, and the graph as Mermaid text.
local compat = require('sql_lineage.compat')

local M = {}

--- No tree is larger: it would not be read, and the server would be asked for minutes.
M.MOST_NODES = 500
local METHODS = { up = 'callHierarchy/outgoingCalls', down = 'callHierarchy/incomingCalls' }
local METHOD_NOT_FOUND = -32601

---@class sql_lineage.Node
---@field item table an LSP CallHierarchyItem
---@field places table[] LSP Locations: where the step is made
---@field children sql_lineage.Node[]

--- What the tree calls an item: the path from the relation on.
---@param item table
---@return string
function M.path(item)
  local relation = (item.detail or ''):gsub(' · seen above$', '')
  local node = type(item.data) == 'table' and item.data.node
  if type(node) == 'table' and #node > 1 then
    return relation .. '.' .. item.name
  end
  return item.name
end

local function child(way, parent, step)
  local item = way == 'up' and step.to or step.from
  local uri = way == 'up' and parent.item.uri or item.uri
  local places = {}
  for _, range in ipairs(step.fromRanges or {}) do
    places[#places + 1] = { uri = uri, range = range }
  end
  return { item = item, places = places, children = {} }
end

--- Adds to a node what is `depth` steps behind it, then calls `done` with an error or nothing.
local function grow(asker, way, node, depth, done)
  if depth == 0 or asker.left <= 0 then
    return done()
  end
  compat.request(asker.client, METHODS[way], { item = node.item }, function(err, steps)
    if err then
      return done(err)
    end
    for _, step in ipairs(steps or {}) do
      if asker.left > 0 then
        asker.left = asker.left - 1
        node.children[#node.children + 1] = child(way, node, step)
      end
    end
    local at = 0
    local function next_child(problem)
      at = at + 1
      if problem or not node.children[at] then
        return done(problem)
      end
      grow(asker, way, node.children[at], depth - 1, next_child)
    end
    next_child()
  end, asker.bufnr)
end

--- The trees of what stands at a position.
---@param client table
---@param bufnr integer
---@param position table
---@param way string 'up' or 'down'
---@param depth integer
---@param done fun(err: table|nil, roots: sql_lineage.Node[], cut: boolean)
function M.trees(client, bufnr, position, way, depth, done)
  compat.request(client, 'textDocument/prepareCallHierarchy', position, function(err, items)
    local asker = { client = client, bufnr = bufnr, left = M.MOST_NODES }
    local roots = vim.tbl_map(function(item) return { item = item, places = {}, children = {} } end, items or {})
    local at = 0
    local function next_root(problem)
      at = at + 1
      if problem or not roots[at] then
        return done(problem, roots, asker.left <= 0)
      end
      grow(asker, way, roots[at], depth, next_root)
    end
    next_root(err)
  end, bufnr)
end

--- The graph around a position as Mermaid text; nil where the server draws none.
---@param client table
---@param bufnr integer
---@param position table
---@param depth integer
---@param done fun(err: table|nil, text: string|nil)
function M.mermaid(client, bufnr, position, depth, done)
  local params = vim.tbl_extend('keep', { direction = 'both', depth = depth, format = 'mermaid' }, position)
  compat.request(client, 'sqlLineage/graph', params, function(err, graph)
    if err and err.code == METHOD_NOT_FOUND then
      return done(nil, nil)
    end
    done(err, type(graph) == 'table' and graph.mermaid or nil)
  end, bufnr)
end

return M
